"""More inputs of the kinds of the reported faults, in sentences of our own: what is said, and what is believed then."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Said:
    """One turn; `day` counts from the first of May 2026, `more` goes to `Scene.say`."""

    text: str
    day: int
    agent: str = "chat"
    more: dict[str, Any] = field(default_factory=dict)


def said(text: str, day: int, agent: str = "chat", **more: Any) -> Said:
    return Said(text, day, agent, more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """`believed`: the active claims, all of them. `kept`: the others (None: not looked at).

    `policy` and `weights` are set before anything is said; `disputes` are the steps that were published, `reviews` the
    reasons.
    """

    kind: str
    name: str
    turns: tuple[Said, ...]
    believed: frozenset[str]
    kept: frozenset[str] | None = frozenset()
    policy: str = ""
    weights: dict[str, float] = field(default_factory=dict)
    disputes: tuple[str, ...] = ()
    reviews: tuple[str, ...] = ()


def _story(
    kind: str,
    name: str,
    *turns: Said,
    believed: tuple[str, ...] = (),
    kept: tuple[str, ...] | None = (),
    **more: Any,
) -> Story:
    held = None if kept is None else frozenset(kept)
    return Story(kind=kind, name=name, turns=turns, believed=frozenset(believed), kept=held, **more)


STORIES: tuple[Story, ...] = (
    # -- contradiction ------------------------------------------------------------------------------------------
    _story(
        "contradiction",
        "no longer liked",
        said("I love rhubarb.", 1),
        said("I don't like rhubarb any more.", 2),
        believed=("user:u1 likes = not rhubarb",),
        kept=("user:u1 likes = rhubarb (superseded)",),
    ),
    _story(
        "contradiction",
        "one of two corrected",
        said("Service atlas runs on Go 1.21 and Redis.", 1),
        said("Service atlas runs on Go 1.22.", 2),
        believed=("service:atlas runs_on@go = Go 1.22", "service:atlas runs_on@redis = Redis"),
        kept=("service:atlas runs_on@go = Go 1.21 (superseded)",),
    ),
    _story(
        "contradiction",
        "another fact of the same person stays",
        said("Nora leads payments.", 1),
        said("Nora plays the oboe.", 2),
        said("Nora no longer leads payments.", 3),
        believed=("person:nora plays = oboe",),
        kept=("person:nora leads = payments (ended)",),
    ),
    _story(
        "contradiction",
        "moved, the old place never told",
        said("Milo was moved from team Ash to team Elm.", 1),
        believed=("person:milo works_on = team Elm",),
        kept=("person:milo works_on = team Ash (ended)",),
    ),
    # -- several values -----------------------------------------------------------------------------------------
    _story(
        "multi_value",
        "two languages",
        said("I speak Danish.", 1),
        said("I also speak Welsh.", 2),
        believed=("user:u1 speaks = Danish", "user:u1 speaks = Welsh"),
    ),
    _story(
        "multi_value",
        "much alike",
        said("I own a blue canoe.", 1),
        said("I own a blue kayak.", 2),
        believed=("user:u1 owns = blue canoe", "user:u1 owns = blue kayak"),
    ),
    _story(
        "multi_value",
        "an instrument and a game",
        said("I play the flute.", 1),
        said("I play chess.", 2),
        said("I no longer play the flute.", 3),
        believed=("user:u1 plays = chess",),
        kept=("user:u1 plays = flute (ended)",),
    ),
    # -- saying it again ----------------------------------------------------------------------------------------
    _story(
        "dedup",
        "a part of it again",
        said("We run the weekly report on node 7 with two workers.", 1, "a"),
        said("The weekly report runs on node 7.", 2, "b"),
        believed=("thing:weekly-report node = 7", "thing:weekly-report workers = 2"),
    ),
    _story(
        "dedup",
        "two in one, then each",
        said("I like tea and I live in Turku.", 1),
        said("I live in Turku.", 2),
        said("I like tea.", 3),
        believed=("user:u1 likes = tea", "user:u1 lives_in = Turku"),
    ),
    _story(
        "dedup",
        "another spelling of the label",
        said("My timezone is CET.", 1),
        said("My time zone is CET.", 2, "bot"),
        believed=("user:u1 timezone = CET",),
    ),
    # -- strategies ---------------------------------------------------------------------------------------------
    _story(
        "consensus",
        "an echo is no second voice",
        said("The pump starts at 05:00.", 1, "a"),
        said("The pump starts at 06:00.", 2, "b"),
        said("The pump starts at 06:00.", 3, "c", derived_from=("e2",)),
        believed=("thing:pump start_time = 05:00",),
        kept=("thing:pump start_time = 06:00 (disputed)",),
        policy="consensus",
        disputes=("opened", "repeated"),
    ),
    _story(
        "consensus",
        "two voices of their own win",
        said("The pump starts at 05:00.", 1, "a"),
        said("The pump starts at 06:00.", 2, "b"),
        said("The pump starts at 06:00.", 3, "c"),
        believed=("thing:pump start_time = 06:00",),
        kept=("thing:pump start_time = 05:00 (superseded)",),
        policy="consensus",
        disputes=("opened", "resolved"),
    ),
    _story(
        "consensus",
        "one agent said it twice",
        said("The pump starts at 05:00.", 1, "a"),
        said("The pump starts at 06:00.", 2, "b"),
        said("The pump starts at 06:00.", 3, "b"),
        believed=("thing:pump start_time = 05:00",),
        kept=("thing:pump start_time = 06:00 (disputed)",),
        policy="consensus",
        disputes=("opened", "repeated"),
    ),
    _story(
        "authority",
        "the lighter one may only dispute",
        said("My office is 12.", 1, "hr"),
        said("My office is 13.", 2, "web"),
        believed=("user:u1 office = 12",),
        kept=("user:u1 office = 13 (disputed)",),
        policy="authority",
        weights={"hr": 0.9, "web": 0.1},
        disputes=("opened",),
    ),
    _story(
        "authority",
        "the heavier one replaces",
        said("My office is 13.", 1, "web"),
        said("My office is 12.", 2, "hr"),
        believed=("user:u1 office = 12",),
        kept=("user:u1 office = 13 (superseded)",),
        policy="authority",
        weights={"hr": 0.9, "web": 0.1},
    ),
    _story(
        "authority",
        "one without a weight weighs nothing",
        said("My office is 12.", 1, "hr"),
        said("My office is 14.", 2, "other"),
        believed=("user:u1 office = 12",),
        kept=("user:u1 office = 14 (disputed)",),
        policy="authority",
        weights={"hr": 0.9},
        disputes=("opened",),
    ),
    _story(
        "authority",
        "a lighter one cannot take back a topic of the heavier one",
        said("My office is 12.", 1, "hr"),
        said("Forget about my office.", 2, "web"),
        believed=("user:u1 office = 12",),
        policy="authority",
        weights={"hr": 0.9, "web": 0.1},
        reviews=("retraction_contested",),
    ),
    _story(
        "dispute",
        "the challenger gives in",
        said("The pool opens at 8.", 1, "a"),
        said("The pool opens at 9.", 2, "b"),
        said("The pool opens at 8.", 3, "b"),
        believed=("thing:pool opens = 8",),
        kept=("thing:pool opens = 9 (superseded)",),
        policy="authority",
        weights={"a": 0.5, "b": 0.5},
        disputes=("opened", "withdrawn"),
    ),
    # -- order and repetition -----------------------------------------------------------------------------------
    _story(
        "idempotency",
        "the same event twice",
        said("My bay is number 4.", 1, event_id="x"),
        said("My bay is number 4.", 1, event_id="x"),
        believed=("user:u1 bay = 4",),
    ),
    _story(
        "ordering",
        "the middle one last",
        said("Ticket state is open.", 1, "a"),
        said("Ticket state is closed.", 3, "a"),
        said("Ticket state is in review.", 2, "a"),
        believed=("ticket:ticket status = closed",),
        kept=("ticket:ticket status = open (superseded)", "ticket:ticket status = in review (superseded)"),
    ),
    _story(
        "ordering",
        "the newest first, by two agents",
        said("I live in Oslo.", 5, "a"),
        said("I live in Bergen.", 1, "b"),
        said("I live in Turku.", 3, "b"),
        believed=("user:u1 lives_in = Oslo",),
        kept=("user:u1 lives_in = Bergen (superseded)", "user:u1 lives_in = Turku (superseded)"),
    ),
    _story(
        "ordering",
        "the end before the beginning",
        said("I no longer play tennis.", 5),
        said("I play tennis.", 1),
        kept=("user:u1 plays = tennis (ended)",),
    ),
    # -- time ---------------------------------------------------------------------------------------------------
    _story(
        "temporal",
        "what used to be",
        said("I drive to work now.", 1),
        said("I used to take the bus to work until last year.", 2),
        believed=("user:u1 commutes_by = car",),
        kept=("user:u1 commutes_by = bus (ended)",),
    ),
    _story(
        "temporal",
        "what used to be, and later an old message that says so",
        said("I used to take the bus to work until last year.", 5),
        said("I take the bus to work.", -900, "importer"),
        kept=("user:u1 commutes_by = bus (ended)",),
    ),
    _story(
        "temporal",
        "ended twice is ended",
        said("I no longer play tennis.", 1),
        said("I no longer play tennis.", 2),
        kept=("user:u1 plays = tennis (ended)",),
    ),
    _story(
        "temporal",
        "switched off is not on",
        said("We enabled debug mode in the parser.", 1),
        said("We removed debug mode from the parser.", 2),
        kept=("thing:parser debug_mode = on (ended)",),
    ),
    _story(
        "temporal",
        "a former job",
        said("I worked at Brightwater until 2019.", 1),
        said("I work at Hellbach.", 2),
        believed=("user:u1 employer = Hellbach",),
        kept=("user:u1 employer = Brightwater (ended)",),
    ),
    # -- who ----------------------------------------------------------------------------------------------------
    _story(
        "entity",
        "an acronym twice",
        said("ZRVX hired a new cook.", 1),
        said("ZRVX opened a branch in Bruges.", 2),
        believed=("org:zrvx branch = Bruges", "org:zrvx hired = new cook"),
    ),
    _story(
        "entity",
        "a person and a country of one name",
        said("Chad moved to Mali.", 1),
        said("We ship tea to Chad every month.", 2),
        believed=("person:chad lives_in = Mali", "user:u1 ships = tea to Chad"),
    ),
    _story(
        "entity",
        "two of one first name",
        said("Lena Frost leads sales.", 1),
        said("Lena Marsh plays drums.", 2),
        said("Lena will be late tomorrow.", 3),
        believed=("person:lena-frost leads = sales", "person:lena-marsh plays = drums"),
        kept=("unresolved:lena late_tomorrow = yes (candidate)",),
        reviews=("unresolved",),
    ),
    _story(
        "entity",
        "the short form of a name",
        said("Ben Aro is short for Benedikt Aro.", 1),
        said("Benedikt Aro leads design.", 2),
        said("Ben Aro lives in Turku.", 3),
        believed=(
            "person:benedikt-aro leads = design",
            "person:benedikt-aro lives_in = Turku",
            "person:benedikt-aro nickname = Ben Aro",
        ),
    ),
    # -- reading ------------------------------------------------------------------------------------------------
    _story(
        "extraction",
        "two in one sentence",
        said("My name is Pia and I love dumplings.", 1),
        believed=("user:u1 name = Pia", "user:u1 likes = dumplings"),
    ),
    _story(
        "extraction",
        "nothing, then something",
        said("ok thanks", 1),
        said("Call me Mo. I keep goats.", 2),
        believed=("user:u1 nickname = Mo", "user:u1 keeps = goats"),
    ),
    _story(
        "extraction",
        "a job and a home",
        said("I'm a nurse, and I live in Cork.", 1),
        believed=("user:u1 job_title = nurse", "user:u1 lives_in = Cork"),
    ),
    _story(
        "attribution",
        "a guest who says a name",
        said("I am a visitor named Ulla. I keep ducks.", 1, speaker="guest:ulla"),
        believed=("person:ulla is = visitor named Ulla", "person:ulla keeps = ducks"),
    ),
    _story(
        "attribution",
        "what the assistant says is nobody's",
        said("How do I bake bread?", 1),
        said("I bake it at 230 degrees. My oven is red.", 1, role="assistant"),
    ),
    _story(
        "attribution",
        "reported and related",
        said("Tom said he likes jazz.", 1),
        said("My sister plays the cello.", 2),
        believed=("person:user-u1s-sister plays = cello",),
    ),
    _story(
        "confidence",
        "a guess gives way",
        said("I guess the back door is unlocked.", 1, "a"),
        said("The back door is locked.", 2, "b"),
        believed=("thing:back-door status = locked",),
        kept=("thing:back-door status = unlocked (superseded)",),
    ),
    _story(
        "confidence",
        "a guess that comes late is history",
        said("The back door is locked.", 2, "b"),
        said("I guess the back door is unlocked.", 1, "a"),
        believed=("thing:back-door status = locked",),
        kept=("thing:back-door status = unlocked (superseded)",),
    ),
    _story(
        "confidence",
        "a guess replaces nothing",
        said("The back door is locked.", 1, "b"),
        said("I suspect the back door is unlocked.", 2, "a"),
        believed=("thing:back-door status = locked",),
        kept=("thing:back-door status = unlocked (candidate)",),
    ),
    _story(
        "confidence",
        "a guess that proves right",
        said("Apparently the lift is broken.", 1, "a"),
        said("Checked: the lift is broken.", 2, "b"),
        believed=("thing:lift status = broken",),
    ),
    # -- what comes back ----------------------------------------------------------------------------------------
    _story(
        "feedback_loop",
        "a tool prints it",
        said("My locker is number 9.", 1),
        said("My locker is number 9.", 2, "tool", role="tool"),
        believed=("user:u1 locker = 9",),
    ),
    _story(
        "feedback_loop",
        "the assistant recalls it",
        said("My locker is number 9.", 1),
        said("[recalled memory] my locker is number 9.", 2, role="assistant"),
        believed=("user:u1 locker = 9",),
    ),
    _story(
        "feedback_loop",
        "a tool prints what was removed",
        said("My bike is green.", 1),
        said("Forget about my bike.", 2),
        said("Removed: 'My bike is green.'", 3, "tool", role="tool"),
        kept=("user:u1 bike_color = green (retracted)",),
    ),
    # -- negation and languages ---------------------------------------------------------------------------------
    _story(
        "negation",
        "no need",
        said("No need to feed the hens, Ida did.", 1),
        believed=("task:feed-the-hens needed = not yes",),
    ),
    _story(
        "negation",
        "not and never",
        said("I don't eat meat.", 1),
        said("I never drink coffee.", 2),
        believed=("user:u1 eats = not meat", "user:u1 drinks = not coffee"),
    ),
    _story(
        "negation",
        "there is none",
        said("There is no back gate.", 1),
        said("I have no car.", 2),
        believed=("thing:back-gate exists = not yes", "user:u1 owns = not car"),
    ),
    _story(
        "non_english",
        "Spanish",
        said("Nunca bebemos café.", 1),
        said("No me gusta el apio.", 2),
        said("Mi despacho es el 310.", 3),
        said("Mi despacho es el 311.", 4),
        believed=("user:u1 drinks = not café", "user:u1 likes = not apio", "user:u1 despacho = 311"),
        kept=("user:u1 despacho = 310 (superseded)",),
    ),
    _story(
        "non_english",
        "German",
        said("Ich esse kein Fleisch.", 1),
        said("Ich habe keinen Hund.", 2),
        said("Ich mag den neuen Fahrstuhl nicht.", 3),
        believed=(
            "user:u1 eats = not Fleisch",
            "user:u1 owns = not Hund",
            "user:u1 likes = not neuen Fahrstuhl",
        ),
    ),
    _story(
        "non_english",
        "Japanese",
        said("図書館が好きです。", 1),
        said("毎朝七時に起きます。", 2),
        said("猫は好きではありません。", 3),
        believed=("user:u1 likes = 図書館", "user:u1 wake_time = 07:00", "user:u1 likes = not 猫"),
    ),
    # -- taking back --------------------------------------------------------------------------------------------
    _story(
        "erasure",
        "a topic in predicate and value, and nothing else",
        said("My bike is green.", 1),
        said("I own a bike.", 2),
        said("I like tea.", 3),
        said("Delete the bike note.", 4),
        believed=("user:u1 likes = tea",),
        kept=("user:u1 bike_color = green (retracted)", "user:u1 owns = bike (retracted)"),
    ),
    _story(
        "erasure",
        "an old copy stays away, a new statement counts",
        said("My office is 310.", 1),
        said("Scratch that.", 2),
        said("My office is 310.", 1, "importer", event_id="copy"),
        said("My office is 310.", 9),
        believed=("user:u1 office = 310",),
        kept=("user:u1 office = 310 (retracted)",),
    ),
    _story(
        "erasure",
        "that there is none takes back what was said of it, in this conversation",
        said("The hall printer is on the guest network.", 1, conversation="a"),
        said("The lab scanner is on the guest network.", 2, conversation="b"),
        said("The lab scanner is in room 4.", 3, conversation="b"),
        said("Not true, there is no guest network.", 4, conversation="b"),
        believed=(
            "printer:hall-printer network = guest",
            "thing:lab-scanner room = 4",
            "thing:guest-network exists = not yes",
        ),
        kept=("thing:lab-scanner network = guest (retracted)",),
    ),
    _story(
        "erasure",
        "that is the last sentence of the same message",
        said("I like tea. My seat is 4C. Scratch that.", 1),
        believed=("user:u1 likes = tea",),
        kept=("user:u1 seat = 4C (retracted)",),
    ),
    _story(
        "erasure",
        "that is nothing when what was said last was not read",
        said("I like tea.", 1),
        said("My gizmo frobnicates wildly.", 2),
        said("Forget that.", 3),
        believed=("user:u1 likes = tea",),
    ),
    _story(
        "erasure",
        "that passes over the assistant and over other conversations",
        said("I like tea.", 1, conversation="a"),
        said("Noted, you like tea.", 1, "bot", role="assistant", conversation="a"),
        said("My seat is 4C.", 2, conversation="b"),
        said("Forget that.", 3, conversation="a"),
        believed=("user:u1 seat = 4C",),
        kept=("user:u1 likes = tea (retracted)",),
    ),
    _story(
        "isolation",
        "the topic of another user",
        said("My tent is orange.", 1),
        said("My tent is blue.", 2, user="u2"),
        said("Delete the tent note.", 3),
        believed=("user:u2 tent_color = blue",),
        kept=("user:u1 tent_color = orange (retracted)",),
    ),
    _story(
        "isolation",
        "two users, one sentence",
        said("My flat is on floor 3.", 1),
        said("My flat is on floor 8.", 2, user="u2"),
        believed=("user:u1 flat_floor = 3", "user:u2 flat_floor = 8"),
    ),
)
