"""Measures the bands of the offline embedder's profile. Run: python -m bench.calibrate_embedder

Each predicate below has labels as extractors and people write them, none of them its own name: the first pair
chose the bands (``tune``), the second pair only checks them. ``NOVEL`` are labels for which no predicate is
registered. The sentences with their questions measure ``floor``. All texts were written for this measurement.
"""

import asyncio
import json

import numpy as np
import numpy.typing as npt

from inference.offline_minilm import OfflineMiniLM
from processors.embedding import described, spoken

#: predicate: (description, labels to tune on, labels to check on)
PREDICATES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "timezone": (
        "the time zone the person is in",
        ("tz", "local time zone"),
        ("time_zone_name", "utc_offset"),
    ),
    "home_city": (
        "the city the person lives in",
        ("lives_in", "city_of_residence"),
        ("hometown_now", "residence"),
    ),
    "birthplace": ("where the person was born", ("born_in", "place_of_birth"), ("birth_city", "native_of")),
    "birthday": ("the date the person was born", ("date_of_birth", "dob"), ("born_on", "birth_date")),
    "employer": ("the company the person works for", ("works_at", "company"), ("employed_by", "workplace")),
    "job_title": (
        "the person's profession or role at work",
        ("occupation", "works_as"),
        ("profession", "position"),
    ),
    "email": (
        "the e-mail address of the person",
        ("mail_address", "contact_email"),
        ("e_mail", "email_addr"),
    ),
    "phone": ("the phone number of the person", ("mobile_number", "telephone"), ("cell", "call_on")),
    "name": ("what the person is called", ("full_name", "called"), ("first_name", "goes_by")),
    "spouse": ("the person's husband or wife", ("married_to", "wife"), ("husband", "life_partner")),
    "child": ("a son or daughter of the person", ("has_son", "daughter"), ("kid", "parent_of")),
    "pet": ("an animal the person keeps", ("has_dog", "owns_cat"), ("animal_companion", "pet_name")),
    "diet": (
        "what the person eats or does not eat on principle",
        ("eating_habits", "dietary"),
        ("vegan", "food_rule"),
    ),
    "allergy": (
        "what the person is allergic to",
        ("allergic_to", "intolerance"),
        ("allergen", "reacts_badly_to"),
    ),
    "likes_food": (
        "food the person likes",
        ("favourite_dish", "loves_eating"),
        ("preferred_cuisine", "tasty_food"),
    ),
    "hobby": (
        "what the person does in free time",
        ("pastime", "enjoys_doing"),
        ("leisure_activity", "interests"),
    ),
    "language": (
        "a language the person speaks",
        ("speaks", "mother_tongue"),
        ("fluent_in", "native_language"),
    ),
    "education": (
        "where or what the person studied",
        ("degree", "studied_at"),
        ("university", "graduated_from"),
    ),
    "nationality": (
        "the country the person is a citizen of",
        ("citizenship", "passport"),
        ("citizen_of", "national_of"),
    ),
    "renewal_date": (
        "the date a contract is renewed",
        ("renews_on", "contract_renewal"),
        ("renewal_month", "extends_on"),
    ),
    "renewal_owner": (
        "who is responsible for the renewal",
        ("owns_renewal", "renewal_lead"),
        ("responsible_for_renewal", "renewal_contact"),
    ),
    "status": ("the state of a task or an order", ("state", "progress"), ("current_status", "stage_reached")),
    "deadline": (
        "the date by which something must be done",
        ("due_date", "due_by"),
        ("must_finish_by", "time_limit"),
    ),
    "budget": (
        "the money set aside for something",
        ("funds", "spending_limit"),
        ("allocated_money", "cost_cap"),
    ),
    "office_timezone": (
        "the time zone of the person's office",
        ("office_tz", "workplace_time_zone"),
        ("time_zone_at_work", "hq_timezone"),
    ),
}

#: Labels that none of the predicates above means; one half each for tuning and checking.
NOVEL: tuple[tuple[str, ...], tuple[str, ...]] = (
    (
        "shoe_size",
        "blood_type",
        "favourite_colour",
        "car_model",
        "commute_mode",
        "political_party",
        "star_sign",
        "keyboard_layout",
        "gym_membership",
        "insurance_provider",
        "wifi_password",
        "parking_spot",
    ),
    (
        "height",
        "eye_colour",
        "bicycle_brand",
        "religion",
        "travel_plan",
        "coffee_order",
        "favourite_band",
        "operating_system",
        "sleep_schedule",
        "bank",
        "loyalty_tier",
        "seat_preference",
    ),
)

SENTENCES = (
    "User is in PST.",
    "The invoice was paid in March.",
    "Dana is allergic to peanuts.",
    "The roof leaks when it rains.",
    "User works as a nurse.",
    "The printer on floor two is out of toner.",
    "Priya speaks Portuguese.",
    "The contract renews in June.",
    "User has a dog called Biscuit.",
    "The train to the coast was late.",
    "User loves Italian food.",
    "The password policy changed last week.",
    "Sam owns the renewal.",
    "The museum closes at six.",
    "User plays the cello on Sundays.",
    "The server room is on the third floor.",
)


#: For each of the first sentences about a person or a contract, how somebody would ask for it.
QUESTIONS = {
    0: "what timezone is the user in?",
    2: "which foods must Dana avoid?",
    4: "what does the user do for a living?",
    6: "which languages does Priya know?",
    7: "when is the contract up for renewal?",
    8: "does the user have pets?",
    10: "what kind of food does the user like?",
    12: "who is responsible for the renewal?",
    14: "which instrument does the user play?",
}

Array = npt.NDArray[np.float32]


async def measure(embedder: OfflineMiniLM) -> dict[str, float | int | str]:
    """For both halves: labels aligned right and wrong at the profile's bands, and what falls between them."""
    profile = embedder.profile
    names = list(PREDICATES)
    targets = await embedder.embed([described(name, PREDICATES[name][0]) for name in names])
    result: dict[str, float | int | str] = {"bench": "calibrate_embedder", "model": profile.model_id}
    for half, place in (("tune", 0), ("check", 1)):
        known = [(label, row) for row, name in enumerate(names) for label in PREDICATES[name][1 + place]]
        labels = [(label, row) for label, row in known] + [(label, -1) for label in NOVEL[place]]
        scores = (await embedder.embed([spoken(label) for label, _ in labels])) @ targets.T
        right = wrong = asked = missed = 0
        right_best: list[float] = []
        other_best: list[float] = []
        for row, (_, meant) in zip(scores, labels, strict=True):
            second, best = np.sort(row)[-2:]
            correct = int(np.argmax(row)) == meant
            (right_best if correct else other_best).append(float(best))
            if best >= profile.band_high and best - second >= profile.margin:
                right, wrong = right + correct, wrong + (not correct)
            elif best >= profile.band_low:
                asked += 1
            else:
                missed += meant >= 0
        result |= {
            f"{half}_known": len(known),
            f"{half}_novel": len(NOVEL[place]),
            f"{half}_aligned_right": right,
            f"{half}_aligned_wrong": wrong,
            f"{half}_between": asked,
            f"{half}_known_below": missed,
            f"{half}_right_q05": round(float(np.quantile(right_best, 0.05)), 3),
            f"{half}_other_max": round(max(other_best), 3),
        }
    return result | await _floor(embedder)


async def _floor(embedder: OfflineMiniLM) -> dict[str, float]:
    asked = (await embedder.embed(list(QUESTIONS.values()))) @ (await embedder.embed(SENTENCES)).T
    answers = np.array([asked[row, place] for row, place in enumerate(QUESTIONS)])
    others = np.concatenate([np.delete(asked[row], place) for row, place in enumerate(QUESTIONS)])
    return {
        "answer_min": round(float(answers.min()), 3),
        "answer_median": round(float(np.median(answers)), 3),
        "other_q50": round(float(np.quantile(others, 0.5)), 3),
        "other_q90": round(float(np.quantile(others, 0.9)), 3),
        "answer_first": round(float(np.mean(answers >= asked.max(axis=1))), 3),
    }


if __name__ == "__main__":
    model = OfflineMiniLM()
    print(json.dumps(asyncio.run(measure(model))))
    model.close()
