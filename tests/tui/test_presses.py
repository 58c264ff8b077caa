from textual import events

from trace_tui.tui.presses import Presses


def press(presses: Presses, time: float, key: str = "a", *, decides: bool = True) -> tuple[bool, bool]:
    """Return whether the press may decide, and whether it shows that the one before was a repetition."""
    event = events.Key(key, key)
    event.time = time
    shows_holding = presses.note(event)
    may = presses.may_decide(painted_at=0.0)
    if may and decides:
        presses.take_note_of_decision()
    return may, shows_holding


def test_two_presses_of_a_person_both_decide() -> None:
    presses = Presses()
    assert [press(presses, 1.0), press(presses, 1.3), press(presses, 1.6)] == [(True, False)] * 3


def test_a_held_key_decides_once_and_its_first_repetition_is_found_out_by_the_second() -> None:
    presses = Presses()
    assert press(presses, 1.0) == (True, False)
    assert press(presses, 1.4) == (True, False), "as late as a person's second press"
    assert press(presses, 1.433) == (False, True)
    assert press(presses, 1.466) == (False, False), "taken back once"


def test_a_double_press_too_fast_for_fingers_decides_once_and_takes_nothing_back() -> None:
    presses = Presses()
    assert press(presses, 1.0) == (True, False)
    assert press(presses, 1.05) == (False, False)


def test_a_first_repetition_that_decided_nothing_is_not_taken_back() -> None:
    presses = Presses()
    press(presses, 1.0)
    press(presses, 1.4, decides=False)
    assert press(presses, 1.43) == (False, False)


def test_another_key_between_is_no_holding() -> None:
    presses = Presses()
    press(presses, 1.0)
    press(presses, 1.2, "j", decides=False)
    press(presses, 1.4)
    assert press(presses, 1.43) == (False, False)
