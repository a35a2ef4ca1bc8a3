-- What each conversation said last: that is what "forget that" means. Written by resolve.
CREATE TABLE conversation_last (
    -- Of tenant, source and stream.
    conversation uuid PRIMARY KEY,
    event_id text COLLATE "C" NOT NULL,
    -- How many facts that event had; 0 when it said something that nobody could read.
    facts integer NOT NULL
) WITH (fillfactor = 80);
