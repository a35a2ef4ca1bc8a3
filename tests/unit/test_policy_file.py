"""A hand-written file of rules: what it may hold, what each mistake says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from schemas.control import AuthoritySet, PolicySet
from streams.policy_file import BadPolicyFile, read_policy_file

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)

GOOD = """
tenant: acme
reason: agent-a reads the calendar
policy:
  min_confidence: 0.6
  rules:
    - {pattern: "*", strategy: recency}
    - {pattern: user.timezone, strategy: authority}
authority:
  weights:
    - {agent: agent-a, pattern: user.timezone, weight: 0.9}
"""


def read(tmp_path: Path, text: str, tenant: str | None = None) -> list[object]:
    (tmp_path / "rules.yaml").write_text(text)
    return list(read_policy_file(tmp_path / "rules.yaml", tenant, "default", NOW))


def test_events_in_order_with_the_files_tenant_and_reason(tmp_path: Path) -> None:
    policy, authority = read(tmp_path, GOOD)
    assert isinstance(policy, PolicySet)
    assert (policy.tenant, policy.min_confidence, policy.reason) == (
        "acme",
        0.6,
        "agent-a reads the calendar",
    )
    assert [rule.strategy for rule in policy.rules] == ["recency", "authority"]
    assert isinstance(authority, AuthoritySet)
    assert authority.weights[0].weight == 0.9
    assert policy.event_id != authority.event_id


def test_json_is_yaml(tmp_path: Path) -> None:
    (event,) = read(tmp_path, '{"authority": {"weights": [{"agent": "a", "weight": 1}]}}')
    assert isinstance(event, AuthoritySet)
    assert event.tenant == "default"


def test_the_same_rules_again_are_a_new_event(tmp_path: Path) -> None:
    read(tmp_path, GOOD)
    path = tmp_path / "rules.yaml"
    first, *_ = read_policy_file(path, None, "default", NOW)
    again, *_ = read_policy_file(path, None, "default", NOW + timedelta(seconds=1))
    assert first.event_id != again.event_id


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("policy: {rules: [{pattern: *, strategy: recency}]}", "needs quotes"),
        ("- 1", "holds none of policy, authority, registry"),
        ("polcy: {rules: []}\nauthority: {weights: []}", "did you mean policy?"),
        ("policy: {ruls: [], rules: []}", "policy: 'ruls' is not known; did you mean rules?"),
        (
            "policy: {rules: [{pattern: a.b, strategy: recency, quorm: 3}]}",
            "policy.rules.0: 'quorm' is not known; did you mean quorum?",
        ),
        ("policy: {rules: [{pattern: a.b, strategy: loudest}]}", "policy.rules.0.strategy"),
        (
            "authority: {weights: [{agent: a, weight: 2}]}",
            "authority.weights.0.weight: input should be less than",
        ),
        ("authority: {weights: [{weight: 1}]}", "authority.weights.0.agent: field required"),
        ("policy: 3", "policy must be a mapping"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(BadPolicyFile) as caught:
        read(tmp_path, text)
    assert reason in str(caught.value)
    assert "rules.yaml" in str(caught.value)


def test_two_tenants_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadPolicyFile, match="make them agree"):
        read(tmp_path, GOOD, tenant="other")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadPolicyFile, match="cannot be read: No such file"):
        read_policy_file(tmp_path / "none.yaml", None, "default", NOW)
