"""The key table of the README, made from the keys. Run `python -m tests.readme_table` to print it."""

from trace_tui.tui.keys import KEYS, shown


def key_table() -> list[str]:
    lines, group = [], ""
    for key in KEYS:
        if key.name.startswith("link-") and key.name != "link-1":
            continue
        if key.group != group:
            group = key.group
            lines.append(f"| **{group}** | | |")
        keys = " ".join(f"`{shown(name)}`" for name in key.keys.split(","))
        name = f"`{key.name}`"
        if key.name == "link-1":
            keys, name = "`1` … `9`", "`link-1` … `link-9`"
        lines.append(f"| {keys} | {key.help} | {name} |")
    return lines


if __name__ == "__main__":
    print("\n".join(key_table()))
