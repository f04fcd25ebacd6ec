"""The cache returns what was written, or says that it cannot: never anything else."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rollwise.cache import folders
from rollwise.cache.entry import BLOCK, checksum_manifest
from rollwise.cache.store import DamagedEntry, DamagedItem, Entry, Store, StoreError, default_root

N_ROWS = 40_000
ROWS = np.arange(N_ROWS * 2, dtype=np.float64).reshape(N_ROWS, 2)  # 640,000 bytes: ten blocks
KEY = Store(Path()).key("pig", {"target": 100})
HERE = str(Path(folders.__file__).parents[2])


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache")


@pytest.fixture
def file(store: Store) -> Path:
    """The array file of a good entry."""
    store.write(KEY, {"rows": ROWS}, {"method": "sweep"})
    return store.root / KEY / "rows.npy"


def read(store: Store) -> Entry:
    entry = store.read(KEY)
    assert entry is not None
    return entry


def flip(file: Path, position: int) -> None:
    content = bytearray(file.read_bytes())
    content[position] ^= 1
    file.write_bytes(content)


def temporary_names(root: Path) -> list[str]:
    return [path.name for path in root.rglob(".*")]


def require_whole(store: Store, rows: NDArray[Any] = ROWS) -> None:
    """The entry holds these rows, and nothing half written lies about."""
    read(store).verify()
    np.testing.assert_array_equal(read(store).array("rows"), rows)
    assert temporary_names(store.root) == []


def run(script: str, root: Path, *arguments: str) -> subprocess.Popen[bytes]:
    start = "import os, sys\nimport numpy as np\nfrom pathlib import Path\nfrom rollwise.cache.store import Store\n"
    command = [sys.executable, "-c", start + script, str(root), KEY, *arguments]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": HERE})


# --- what is written is what is read ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.uint64, np.int8])
@pytest.mark.parametrize("shape", [(0,), (1,), (30,), (0, 3), (3, 0), (1, 1), (20, 7)], ids=str)
def test_an_array_comes_back_as_it_was(store: Store, dtype: type[Any], shape: tuple[int, ...]) -> None:
    bits = np.random.default_rng(len(shape)).bytes(math.prod(shape) * np.dtype(dtype).itemsize)
    array = np.frombuffer(bits, dtype).reshape(shape)  # numbers of any size, and what is no number
    for given in (array, np.asfortranarray(array)):
        written = store.write(KEY, {"it": given}, {})
        entry, file = read(store), store.root / KEY / "it.npy"
        for back in (written.array("it"), entry.array("it"), np.load(file, allow_pickle=False)):
            assert (back.dtype, back.shape, back.tobytes()) == (array.dtype, array.shape, array.tobytes())
        assert not entry.array("it").flags.writeable
        rows = np.arange(-len(array), len(array))
        assert entry.array_file("it").take(rows).tobytes() == array[rows].tobytes()
        entry.verify()


@pytest.mark.parametrize("width", [1, 3, 9_000, 20_000])
def test_taken_rows_are_those_of_numpy_and_rows_outside_are_refused(store: Store, width: int) -> None:
    random, n_rows = np.random.default_rng(width), max(2, 100_000 // width)
    array = random.random((n_rows, width))  # rows shorter and longer than a block
    store.write(KEY, {"it": array}, {})
    for n_taken in (0, 1, 2, 20):
        rows = random.integers(-n_rows, n_rows, n_taken)
        np.testing.assert_array_equal(read(store).array_file("it").take(rows), array[rows])
    for outside, error in ((n_rows, IndexError), (-n_rows - 1, IndexError), (0.5, TypeError), (True, TypeError)):
        with pytest.raises(error):
            read(store).array_file("it").take(np.array([outside]))


def test_the_manifest_comes_back_as_it_was_and_the_bytes_on_disk_are_counted(store: Store) -> None:
    told: dict[str, Any] = {"gap": 1.1e-15, "big": 2**70, "p": [1, None, True, "½"], "in": {"a": -0.0}}
    store.write(KEY, {"rows": ROWS}, told)
    assert read(store).manifest == told
    assert read(store).size == sum(path.stat().st_size for path in (store.root / KEY).iterdir())


def test_a_key_depends_on_the_identity_and_not_on_its_order(store: Store) -> None:
    assert store.key("pig", {"a": 1, "b": 2}) == store.key("pig", {"b": 2, "a": 1})
    assert len({store.key("pig", {"a": value}) for value in (1, 1.0, "1", True, None)}) == 5


@pytest.mark.parametrize("key", ["", "..", "../x", "locks", "documents", "a/b-00000000000000000000", "pig-123"])
def test_what_is_no_key_is_refused(store: Store, key: str) -> None:
    for action in (store.read, store.remove, store.checkpoint):
        with pytest.raises(StoreError, match="is no cache key"):
            action(key)


def test_absent_is_none_and_touches_no_disk(store: Store) -> None:
    assert store.read(KEY) is None
    assert store.keys() == []
    assert store.checkpoint(KEY).load() is None
    assert store.remove(KEY) == store.clear() == 0
    assert not store.root.exists()


def test_the_environment_chooses_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROLLWISE_CACHE", str(tmp_path / "here"))
    assert default_root() == Store().root == tmp_path / "here"
    monkeypatch.delenv("ROLLWISE_CACHE")
    assert default_root().name == "rollwise"


@pytest.mark.parametrize(
    ("arrays", "manifest", "told"),
    [
        ({"it": np.array([object()])}, {}, "plain numbers"),
        ({"it": np.zeros(2, dtype="i4,f8")}, {}, "plain numbers"),
        ({}, {"gap": float("nan")}, "not JSON"),
        ({}, {"array": np.zeros(2)}, "not JSON"),
        ({}, {"set": {1}}, "not JSON"),
        *[({name: ROWS}, {}, "array names") for name in ("", "../x", "a/b", "Ä", ".x")],
    ],
)
def test_only_plain_numbers_of_plain_names_and_plain_json_are_stored(
    store: Store, arrays: dict[str, NDArray[Any]], manifest: dict[str, Any], told: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=told):
        store.write(KEY, arrays, manifest)
    assert not store.root.exists()


# --- damage is noticed ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("position", [0, 20, 127, 128, 5 * BLOCK, -1])
def test_one_flipped_bit_is_noticed(store: Store, file: Path, position: int) -> None:
    flip(file, position)
    entry = read(store)
    for use in (entry.verify, lambda: entry.array("rows"), entry.array_file("rows").whole):
        with pytest.raises(DamagedEntry, match=r"rows\.npy fails its checksum"):
            use()


@pytest.mark.parametrize(
    ("position", "row", "noticed"),
    [
        (20, N_ROWS - 1, True),  # the header counts for every row
        (200, N_ROWS - 1, True),  # block 0 is the header's block
        (-1, N_ROWS - 1, True),
        (-1, -1, True),
        (-1, 0, False),
        (5 * BLOCK, (5 * BLOCK - 128) // 16, True),
        (5 * BLOCK, (5 * BLOCK - 128) // 16 - 1, False),
    ],
)
def test_a_question_checks_the_blocks_it_reads(
    store: Store, file: Path, position: int, row: int, noticed: bool
) -> None:
    flip(file, position)
    taken = read(store).array_file("rows")
    if noticed:
        with pytest.raises(DamagedEntry, match="fails its checksum"):
            taken.take(np.array([row]))
    else:
        np.testing.assert_array_equal(taken.take(np.array([row])), ROWS[[row]])


def test_a_row_longer_than_a_block_is_checked_in_its_middle(store: Store) -> None:
    store.write(KEY, {"long": np.zeros((3, 40_000))}, {})  # rows of five blocks
    flip(store.root / KEY / "long.npy", 128 + 320_000 + 160_000)
    taken = read(store).array_file("long")
    assert taken.take(np.array([0, 2])).shape == (2, 40_000)
    with pytest.raises(DamagedEntry):
        taken.take(np.array([1]))


Harm = Callable[[Path], object]  # to the array file of an entry, or to what lies beside it


def changed(name: str, change: Callable[[bytes], bytes]) -> Harm:
    return lambda file: file.with_name(name).write_bytes(change(file.with_name(name).read_bytes()))


def manifest_is(text: bytes) -> Harm:
    return changed("manifest.json", lambda _: text)


def manifest_says(new: bytes, old: bytes) -> Harm:
    return changed("manifest.json", lambda text: text.replace(old, new, 1))


def sealed(change: Callable[[Any], object]) -> Harm:
    """A manifest that was changed has a right checksum."""

    def resealed(text: bytes) -> bytes:
        document = json.loads(text)
        change(document)
        return json.dumps({**document, "checksum": checksum_manifest(document)}).encode()

    return changed("manifest.json", resealed)


def rows_said(**fields: Any) -> Harm:
    return sealed(lambda document: document["arrays"]["rows"].update(fields))


def led_outside(file: Path) -> None:
    """The file is whole, and where that name leads."""
    sealed(lambda document: document["arrays"].update({"../rows": document["arrays"].pop("rows")}))(file)
    file.rename(file.parents[1] / "rows.npy")


def replaced_by_a_file(file: Path) -> None:
    file.parent.rename(file.parents[1] / "aside")
    file.parent.write_text("not a folder")


def replaced_by(name: str, make: Callable[[Path], object]) -> Harm:
    """Something else stands in place of a file of the entry; the file is whole beside the entry."""

    def replace(file: Path) -> None:
        place = file.with_name(name)
        place.rename(file.parents[1] / name)
        make(place)

    return replace


def link_to_it(place: Path) -> None:
    place.symlink_to(place.parents[1] / place.name)


MADE: dict[str, Harm] = {"pipe": os.mkfifo, "link": link_to_it, "folder": os.mkdir}
NOT_REGULAR = "is no regular file"
WRONG_SIZE = r"rows\.npy has \d+ bytes, the manifest says 640128"
WRONG_FIELD = "lacks a field or has a wrong one"
HARMS: dict[str, tuple[Harm, str]] = {
    "a byte too few": (changed("rows.npy", lambda content: content[:-1]), WRONG_SIZE),
    "a byte too many": (changed("rows.npy", lambda content: content + b"\0"), WRONG_SIZE),
    "an empty file": (changed("rows.npy", lambda content: b""), WRONG_SIZE),
    "no file": (Path.unlink, r"rows\.npy is missing"),
    "no manifest": (lambda file: file.with_name("manifest.json").unlink(), r"manifest\.json is missing"),
    "a file for the folder": (replaced_by_a_file, "is not a folder"),
    "another manifest": (manifest_says(b'"sweet"', b'"sweep"'), "fails its checksum"),
    "another name": (manifest_says(b'"rowz"', b'"rows"'), "fails its checksum"),
    "another format": (manifest_says(b'"format": 2', b'"format": 1'), "has format 2, this version knows 1"),
    "no brace": (manifest_says(b"", b"{"), "is not valid JSON"),
    "no UTF-8": (manifest_says(b"\xff", b"sweep"), "is not valid JSON"),
    "a zero byte": (manifest_says(b"\0", b"sweep"), "is not valid JSON"),
    "an empty manifest": (manifest_is(b""), "is not valid JSON"),
    "a deep list": (manifest_is(b"[" * 100_000), "is not valid JSON"),
    "a list": (manifest_is(b"[]"), "is not a JSON object"),
    "null": (manifest_is(b"null"), "is not a JSON object"),
    "no format": (manifest_is(b"{}"), "has format None"),
    "no checksum": (manifest_is(b'{"format": 1}'), WRONG_FIELD),
    "a number for a checksum": (manifest_is(b'{"format": 1, "checksum": 1}'), "fails its checksum"),
    "objects": (rows_said(dtype="|O"), WRONG_FIELD),
    "no dtype": (rows_said(dtype="nonsense"), WRONG_FIELD),
    "no shape": (rows_said(shape=5), WRONG_FIELD),
    "no blocks": (rows_said(blocks=""), WRONG_FIELD),
    "no size": (sealed(lambda document: document["arrays"]["rows"].pop("size")), WRONG_FIELD),
    "no arrays": (sealed(lambda document: document.pop("arrays")), WRONG_FIELD),
    "no manifest in it": (sealed(lambda document: document.update(manifest=None)), WRONG_FIELD),
    "an array outside the folder": (led_outside, WRONG_FIELD),
    **{
        f"a {kind} for {name}": (replaced_by(name, make), f"{name} {NOT_REGULAR}")
        for name in ("rows.npy", "manifest.json")
        for kind, make in MADE.items()
    },
    "a manifest of 4 GB": (lambda file: os.truncate(file.with_name("manifest.json"), 4 << 30), "is larger than"),
    "a list of pairs in it": (sealed(lambda document: document.update(manifest=[["a", 1]])), WRONG_FIELD),
    "escapes": (manifest_is(b'{"format": "\\u009b2J\\u001b[2J"}'), r"format '\\x9b2J\\x1b\[2J', this"),
    **{
        f"{field}: {value!s:.9}": (rows_said(**{field: value}), WRONG_FIELD)
        for field, values in {
            "dtype": ("<f8,<f8", "<f9", 8, ["<f8"]),
            "shape": ([10**30, 2], ["40000", 2], [40000.0, 2], [True, 2], [-1, 2], {"40000": 2}, [1] * 9, None),
            "size": (10**30, -1, "640128", 640128.0, 0, True),
            "rows": (-1, True, "7", 1e300, [7]),
            "blocks": (5, ["0" * 160], None),
        }.items()
        for value in values
    },
    "another dtype than the header": (rows_said(dtype="<i8"), "the manifest says"),
    "another shape than the header": (rows_said(shape=[N_ROWS * 2]), "the manifest says"),
    "a turned shape": (rows_said(shape=[2, N_ROWS]), "the manifest says"),
}


@pytest.mark.parametrize("harm", HARMS)
def test_damage_is_noticed_when_an_entry_is_read_and_mended_by_writing_it(store: Store, file: Path, harm: str) -> None:
    do, told = HARMS[harm]
    do(file)
    # another header than the manifest is noticed when the array is read
    entry = read(store).array_file("rows") if told == "the manifest says" else None
    with pytest.raises(DamagedEntry, match=told):
        entry.take(np.array([0])) if entry else store.read(KEY)
    store.write(KEY, {"rows": ROWS}, {})
    require_whole(store)


def test_each_block_is_read_once_for_questions_and_again_for_verify(store: Store, file: Path) -> None:
    entry = read(store)
    entry.array_file("rows").take(np.array([0]))
    with open(file, "r+b") as same_file:
        same_file.seek(50)
        same_file.write(b"!")
    entry.array_file("rows").take(np.array([1]))
    with pytest.raises(DamagedEntry):
        entry.verify()
    os.truncate(file, 1000)  # where nobody looked at the size, this would kill
    with pytest.raises(DamagedEntry, match="has 1000 bytes"):
        entry.array_file("rows").take(np.array([N_ROWS - 1]))


def test_an_entry_under_a_wrong_key_is_not_served_and_damage_is_told_in_one_line(store: Store, file: Path) -> None:
    other = store.key("pig", {"target": 50})
    file.parent.rename(store.root / other)
    with pytest.raises(DamagedEntry) as caught:
        store.read(other)
    reason = f"manifest.json belongs to entry {KEY}"
    assert str(caught.value) == (
        f"cache entry {other} is damaged: {reason}; "
        f"it will be solved again, or remove it with 'rollwise cache clear {other}'"
    )
    assert (caught.value.key, caught.value.reason) == (other, reason)


def test_entries_are_listed_good_and_damaged(store: Store) -> None:
    keys = [store.key(name, {}) for name in ("zilch", "pig", "craps", "busted")]
    for key in keys[:3]:
        store.write(key, {"rows": ROWS}, {"name": key})
    (store.root / keys[1] / "rows.npy").unlink()
    (store.root / keys[3]).write_text("not a folder")
    (store.root / "documents").mkdir()
    assert store.keys() == sorted(keys)
    entries = list(map(store.inspect, store.keys()))
    reasons = [entry.reason for entry in entries if isinstance(entry, DamagedItem)]
    assert reasons == ["it is not a folder with a manifest file", "rows.npy is missing"]
    good = [entry for entry in entries if isinstance(entry, Entry)]
    assert [entry.manifest["name"] for entry in good] == [entry.key for entry in good]
    for entry in good:
        entry.verify()


def test_remove_frees_what_an_entry_held(store: Store, file: Path) -> None:
    assert read(store).size == store.remove(KEY)
    assert store.read(KEY) is None
    assert list(store.root.iterdir()) == []


def test_clear_leaves_a_held_lock_and_what_is_not_ours(store: Store, file: Path) -> None:
    with store.lock(store.key("free", {})):
        pass
    store.checkpoint(KEY).save({"rows": ROWS}, {})
    alive = store.root / f".tmp-{os.getpid()}-00ff-{KEY}"
    old = store.root / f".tmp-{os.getpid()}-00fe-{KEY}"
    for folder in (alive, old, store.root / "documents"):
        folder.mkdir()
    os.utime(old, (time.time() - 90_000,) * 2)
    with store.lock(KEY):
        assert store.clear() > 2 * ROWS.nbytes
        left = sorted(str(path.relative_to(store.root)) for path in store.root.rglob("*"))
        assert left == sorted([alive.name, "checkpoints", "documents", "locks", f"locks/{KEY}.lock"])
