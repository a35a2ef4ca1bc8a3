-- What each agent said of the entity of late, for the limits of the policy: agent to [hour, statements, day, disputes].
ALTER TABLE entities ADD COLUMN rates jsonb NOT NULL DEFAULT '{}';
