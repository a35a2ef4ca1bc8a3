"""Words the rules look up. Plain data: no rule lives here."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Relatives and the like: the word as said -> the one word a mention uses, so that "mom" and "mother" meet.
KIN: Final[dict[str, str]] = {
    "mom": "mother",
    "mum": "mother",
    "mama": "mother",
    "mommy": "mother",
    "mother": "mother",
    "dad": "father",
    "daddy": "father",
    "papa": "father",
    "father": "father",
    "parents": "parents",
    "folks": "parents",
    "parent": "parent",
    "brother": "brother",
    "brothers": "brothers",
    "sister": "sister",
    "sisters": "sisters",
    "sibling": "sibling",
    "siblings": "siblings",
    "twin": "twin",
    "son": "son",
    "sons": "sons",
    "daughter": "daughter",
    "daughters": "daughters",
    "child": "child",
    "children": "children",
    "kid": "child",
    "kids": "children",
    "baby": "baby",
    "wife": "wife",
    "husband": "husband",
    "hubby": "husband",
    "spouse": "spouse",
    "partner": "partner",
    "fiance": "fiance",
    "fiancé": "fiance",
    "fiancee": "fiance",
    "fiancée": "fiance",
    "girlfriend": "girlfriend",
    "boyfriend": "boyfriend",
    "ex": "ex",
    "friend": "friend",
    "friends": "friends",
    "roommate": "roommate",
    "roommates": "roommates",
    "neighbor": "neighbor",
    "neighbour": "neighbor",
    "neighbors": "neighbors",
    "neighbours": "neighbors",
    "boss": "boss",
    "manager": "manager",
    "coworker": "coworker",
    "coworkers": "coworkers",
    "colleague": "colleague",
    "colleagues": "colleagues",
    "grandma": "grandmother",
    "grandmother": "grandmother",
    "granny": "grandmother",
    "grandpa": "grandfather",
    "grandfather": "grandfather",
    "grandparents": "grandparents",
    "uncle": "uncle",
    "aunt": "aunt",
    "cousin": "cousin",
    "cousins": "cousins",
    "niece": "niece",
    "nephew": "nephew",
    "family": "family",
    "grandson": "grandson",
    "granddaughter": "granddaughter",
    "grandchildren": "grandchildren",
    "grandkids": "grandchildren",
    "stepmother": "stepmother",
    "stepfather": "stepfather",
    "doctor": "doctor",
    "teacher": "teacher",
    "coach": "coach",
}
#: The relation a relative stands in to the speaker.
RELATION: Final[dict[str, str]] = {
    **dict.fromkeys(("mother", "father", "parents", "parent", "stepmother", "stepfather"), "parent"),
    **dict.fromkeys(("brother", "brothers", "sister", "sisters", "sibling", "siblings", "twin"), "sibling"),
    **dict.fromkeys(("son", "sons", "daughter", "daughters", "child", "children", "baby"), "child"),
    **dict.fromkeys(("wife", "husband", "spouse"), "spouse"),
    **dict.fromkeys(("girlfriend", "boyfriend", "partner", "fiance"), "partner"),
    **dict.fromkeys(("friend", "friends"), "friend"),
}
PETS: Final[dict[str, str]] = {
    word: singular
    for singular, words in {
        "dog": "dog dogs doggo",
        "puppy": "puppy puppies pup pups",
        "cat": "cat cats",
        "kitten": "kitten kittens kitty",
        "horse": "horse horses",
        "pony": "pony ponies",
        "bird": "bird birds",
        "parrot": "parrot parrots",
        "parakeet": "parakeet parakeets",
        "hamster": "hamster hamsters",
        "fish": "fish fishes",
        "goldfish": "goldfish",
        "snake": "snake snakes",
        "lizard": "lizard lizards",
        "gecko": "gecko geckos",
        "iguana": "iguana iguanas",
        "turtle": "turtle turtles",
        "tortoise": "tortoise tortoises",
        "rabbit": "rabbit rabbits bunny bunnies",
        "guinea pig": "guinea-pig",
        "ferret": "ferret ferrets",
        "chicken": "chicken chickens",
        "cow": "cow cows",
        "goat": "goat goats",
        "pig": "pig pigs",
        "sheep": "sheep",
        "duck": "duck ducks",
        "rat": "rat rats",
        "pet": "pet pets",
        "poodle": "poodle poodles",
        "beagle": "beagle beagles",
        "labrador": "labrador labradors lab labs",
        "retriever": "retriever retrievers",
        "husky": "husky huskies",
        "shepherd": "shepherd shepherds",
        "bulldog": "bulldog bulldogs",
        "chihuahua": "chihuahua chihuahuas",
        "pug": "pug pugs",
        "terrier": "terrier terriers",
        "dachshund": "dachshund dachshunds",
        "doberman": "doberman dobermans",
        "corgi": "corgi corgis",
    }.items()
    for word in words.split()
}

DIETS: Final = _words(
    "vegan vegetarian pescatarian pescetarian omnivore carnivore flexitarian kosher halal keto paleo"
)
COLORS: Final = _words(
    "red orange yellow green blue purple violet pink brown black white grey gray silver "
    "gold golden beige turquoise teal maroon"
)
#: States a thing is in, one at a time: they share the predicate ``status``.
STATES: Final = _words(
    """open closed locked unlocked on off up down online offline broken fixed working running stopped
    paused enabled disabled active inactive available unavailable full empty ready done finished
    completed cancelled canceled approved rejected pending blocked deployed released merged archived
    sold booked reserved overdue paid unpaid shipped delivered late delayed resolved unresolved live
    frozen suspended expired valid invalid public private dirty clean retired"""
)
#: The noun before "is" that is itself the attribute: "ticket state is open" is about the ticket.
ATTRIBUTES: Final = _words(
    """state status room colour color name number hours price cost balance size version address owner
    location date time floor password port url host region language currency budget deadline capacity
    temperature weight height length speed limit priority type brand model plan address email phone
    timezone lead manager author title code level rate branch"""
)
PLACE_NOUNS: Final = _words(
    "floor level room hall gate desk building line node shelf aisle block seat platform "
    "row track port page drawer bay dock"
)
#: Type words in front of or inside a name: "service ledger", "project Birch".
ENTITY_TYPES: Final = _words(
    "service project ticket server job team org company group node device room lab "
    "office printer database cluster repo task order invoice contract shipment issue "
    "build release"
)

#: Those of them that are no part of the name: "service ledger" is the service called ledger.
TYPE_ONLY: Final = _words(
    "service project ticket server job team org company group cluster repo task "
    "order invoice shipment issue build release"
)

#: Passing moods, and adjectives that only judge: they are not kept.
MOODS: Final = _words(
    """glad sure sorry happy sad excited tired nervous proud fine good ok okay great well hooked driven
    keen psyched involved ready back here there late busy bored angry mad upset worried afraid curious
    hungry thirsty hot cold sick grateful thankful amazed impressed surprised shocked relieved stressed
    overwhelmed exhausted thrilled stoked pumped psyched hopeful lucky blessed honored honoured
    delighted pleased confused lost stuck done right wrong serious kidding joking starving dying swamped
    anxious lonely frustrated disappointed determined super so really certain positive aware able about
    just too such all still free home alone jealous envious inspired touched blown torn down up off on
    in out over with at for as like to from by of going"""
)
JUDGEMENTS: Final = _words(
    """amazing great awesome good bad nice cool beautiful lovely wonderful fantastic incredible perfect
    terrible horrible awful fun funny cute adorable important key interesting exciting special so really
    very super such pretty stunning gorgeous delicious yummy tasty inspiring impressive rewarding
    therapeutic tough hard difficult easy crazy wild insane sweet best worst better worse worth true
    right wrong clear sure real different new old big small peaceful calming powerful magical
    breathtaking neat sad happy hilarious ridiculous brilliant excellent superb chill cozy comfy adorbs
    stylish vibrant infectious unreal insane surreal soothing tranquil calm cute epic sick dope fire lit
    priceless precious"""
)
#: Values that name nothing.
VAGUE: Final = _words(
    """it them him her me us you this that these those one ones some any all everything something anything
    nothing stuff thing things everyone someone anyone nobody people lot lots bit much more most less
    way ways here there what which who how so too well myself himself herself itself ourselves
    themselves yourself each other both either neither same such mine yours ours theirs his hers its
    again together out up down off on in best better good great fun time times yes no not day days
    moment moments part kind sort place guys folks blast progress sense use care chance look break go
    while point thought thoughts picture pic photo difference minute feeling feelings everybody away ok
    okay alright hard real while often usually only about around twice news advice help support word
    words mind ton tons genre"""
)
#: "I love the colors": about what was just shown, not about the speaker.
OF_A_PICTURE: Final = _words(
    """color colors colour colours texture textures idea way view views vibe vibes look design style
    feeling feel pattern patterns enthusiasm energy decor composition expression details detail name
    sound attitude spirit passion pic photo picture photos pics feedback"""
)
TRAITS: Final = _words(
    """shy outgoing introverted extroverted tall short married single divorced engaged retired unemployed
    pregnant blind deaf disabled bilingual gay straight bisexual religious athletic overweight vegan
    vegetarian"""
)
NUMBERS: Final[dict[str, str]] = {
    word: str(index)
    for index, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
}
INSTRUMENTS: Final = _words(
    """guitar piano drums violin cello bass flute saxophone trumpet clarinet ukulele harp banjo harmonica
    keyboard trombone viola oboe accordion fiddle mandolin organ tuba"""
)
JOB_ENDINGS: Final = (
    "er",
    "or",
    "ist",
    "ian",
    "man",
    "woman",
    "ant",
    "ee",
    "eer",
    "smith",
    "ress",
    "nurse",
    "chef",
    "clerk",
    "pilot",
    "vet",
    "cook",
    "judge",
    "coach",
    "guard",
    "maid",
    "nanny",
    "intern",
    "agent",
    "attorney",
    "therapist",
    "host",
    "dj",
    "model",
)
#: Words that end like a job and are none.
NOT_JOBS: Final = _words(
    """mother father brother sister daughter member lover beer winner beginner person human loner eater
    teenager believer reader fan woman man christian vegetarian italian canadian australian indian
    russian asian brazilian egyptian immigrant listener hoarder runner hiker dreamer thinker collector
    junior senior minor owner gamer pescatarian libertarian octogenarian supporter owner grandmother
    grandfather follower enthusiast racist feminist atheist optimist pessimist perfectionist drinker
    smoker introvert killer sinner survivor learner swimmer romantic chatterbox grandparent stepfather
    stepmother worker achiever ear over under never other another either rather together whether number
    summer winter water order dinner newcomer go-getter ginger extremist lesbian giant infant debater
    caregiver millionaire nonconformist flirt cancer conservative"""
)
NATIONALITIES: Final = _words(
    """american british english scottish irish welsh german french italian spanish portuguese dutch belgian
    swiss austrian polish czech hungarian romanian bulgarian greek turkish russian ukrainian swedish
    norwegian danish finnish icelandic canadian mexican brazilian argentinian chilean colombian peruvian
    cuban australian chinese japanese korean vietnamese thai indian pakistani filipino indonesian
    iranian iraqi israeli lebanese egyptian moroccan nigerian kenyan ethiopian"""
)
LANGUAGES: Final = NATIONALITIES | _words(
    "mandarin cantonese arabic hebrew hindi urdu farsi persian swahili tagalog latin esperanto"
)
CREEDS: Final = _words(
    "catholic christian jewish muslim buddhist hindu mormon sikh protestant lutheran orthodox baptist atheist "
    "republican democrat libertarian"
)
UNPLEASANT: Final = _words(
    """traffic waiting queue queues queueing bugs bug mondays monday meetings taxes tax dentist spam
    ignored stuck overtime paperwork outage outages downtime deadlines deadline rain crashes crash
    delays delayed late cancelled lost broken homework chores hold on-call paying sick robbed yelled
    rejected"""
)
