"""Finds the card or model a person means: usual aliases are accepted, ambiguous and unknown names are errors."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import product

from gpudata.loaders import load_gpus, load_models

_NEAREST = 5


class UnknownName(ValueError):
    """A name that means no row of a table, or several; the message lists the nearest ones (``nearest``)."""

    def __init__(self, kind: str, name: str, nearest: Iterable[str], *, ambiguous: bool = False) -> None:
        self.nearest = list(nearest)
        listed = ", ".join(self.nearest)
        said = f"{kind} '{name}' is ambiguous; it may mean: " if ambiguous else f"unknown {kind} '{name}'; nearest: "
        super().__init__(said + listed)


# Makers' words that tell no two cards of the table apart.
_GPU_NOISE = frozenset(
    {"nvidia", "geforce", "amd", "intel", "huawei", "tesla", "instinct", "moore", "threads"}
    | {"graphics", "card", "gpu", "accelerator", "generation", "edition", "of", "the"}
    | {"hbm2", "hbm2e", "hbm3", "hbm3e", "gddr6", "gddr6x", "gddr7"}
)
_BRANDS = frozenset({"rtx", "rx", "arc", "radeon", "ascend", "apple", "cambricon", "biren", "hygon", "iluvatar"})
_FORMS = frozenset({"sxm", "pcie", "nvl", "oam"})
_VARIANTS = frozenset({"workstation", "server", "max", "q"})
_MODIFIED = frozenset({"aftermarket", "modified", "mod"})


def _gpu_tokens(name: str) -> frozenset[str]:
    text = name.lower().replace("gib", "gb")
    text = re.sub(r"\b(rtx|rx)(?=\d)", r"\1 ", text)
    text = re.sub(r"(\d)\s+gb\b", r"\1gb", text)
    text = re.sub(r"(\d)g\b", r"\1gb", text)
    text = re.sub(r"\bsxm\d?\b", "sxm", text)
    text = re.sub(r"\b(\d{4})\s*(ti|super|d)\b", r"\1 \2", text)
    # A maker writes "RTX PRO 6000", "A6000" and "RTX A6000", "4090D" and "4090 D".
    words = re.findall(r"[a-z]+\d+[a-z]*|\d+(?:\.\d+)?[a-z]*|[a-z]+", text.replace("_", " "))
    return frozenset("aftermarket" if word in _MODIFIED else word for word in words) - _GPU_NOISE


def _memory_token(tokens: frozenset[str]) -> set[str]:
    return {token for token in tokens if re.fullmatch(r"\d+gb", token)}


def _aliases_of_gpu(name: str, memory_gb: float, form_factor: str) -> set[frozenset[str]]:
    """Every set of words that may mean this card."""
    plain = _gpu_tokens(re.sub(r"\((?!aftermarket).*?\)", "", name))
    memory = _memory_token(plain) or ({f"{memory_gb:g}gb"} if memory_gb == memory_gb else set())
    form = plain & _FORMS or ({"sxm"} if form_factor.startswith("SXM") else {form_factor.lower()} & _FORMS)
    core = plain - memory - _BRANDS - _FORMS - _VARIANTS - {"blackwell", "aftermarket"}
    optional = [memory, plain & _BRANDS, form, plain & {"blackwell"}, plain & {"aftermarket"}, plain & _VARIANTS]
    out = {_gpu_tokens(name)} | {_gpu_tokens(inside) for inside in re.findall(r"\((DGX [^)]*)\)", name)}
    for kept in product(*[(frozenset(), frozenset(part)) if part else (frozenset(),) for part in optional]):
        # A modified card shares its name with the original: the memory size must be said.
        if "aftermarket" in plain and not kept[0]:
            continue
        out.add(frozenset(core).union(*kept))
    return out


@lru_cache(maxsize=1)
def _gpu_index() -> tuple[dict[frozenset[str], list[str]], dict[str, str]]:
    """Words -> cards, and card -> form factor."""
    gpus = load_gpus()
    index: dict[frozenset[str], list[str]] = {}
    forms = gpus["form_factor"].fillna("").astype(str)
    for name, memory, form in zip(gpus["gpu"], gpus["memory_gb"], forms, strict=True):
        for alias in _aliases_of_gpu(name, memory, form):
            index.setdefault(alias, []).append(name)
    return index, dict(zip(gpus["gpu"], forms, strict=True))


def _nearest(name: str, candidates: Iterable[str]) -> list[str]:
    lowered = {candidate.lower(): candidate for candidate in candidates}
    found = difflib.get_close_matches(name.lower(), list(lowered), n=_NEAREST, cutoff=0.0)
    return [lowered[text] for text in found]


@lru_cache(maxsize=4096)
def resolve_gpu(name: str) -> str:
    """Name in ``gpus.csv`` of the card meant by ``name`` ("4090", "A100 80GB", "NVIDIA H100 PCIe").

    Where only the form factor is unsaid but the memory size is given, the SXM board is meant ("A100 80GB"). Raises
    UnknownName for a name that means no card or several ("A100": 40 or 80 GB), listing the nearest.
    """
    index, forms = _gpu_index()
    cleaned = name.strip()
    for known in forms:
        if known.lower() == cleaned.lower():
            return known
    tokens = _gpu_tokens(cleaned)
    found = index.get(tokens, [])
    if len(found) > 1 and _memory_token(tokens):
        boards = [card for card in found if forms[card].startswith("SXM")]
        found = boards if len(boards) == 1 else found
    if len(found) == 1:
        return found[0]
    if found:
        raise UnknownName("GPU", name, found, ambiguous=True)
    raise UnknownName("GPU", name, _nearest(cleaned, forms))


# Names on the Hugging Face Hub that share no spelling with the table's.
_MODEL_ALIASES = {
    "gpt2": "GPT-2-124M",
    "gpt2-small": "GPT-2-124M",
    "gpt2-medium": "GPT-2-Medium-355M",
    "gpt2-large": "GPT-2-Large-774M",
    "gpt2-xl": "GPT-2-XL-1.5B",
    "bloom": "BLOOM-176B",
    "bloom-1b1": "BLOOM-1.1B",
    "bloom-1b7": "BLOOM-1.7B",
    "bloom-7b1": "BLOOM-7.1B",
    "mistral-7b-v0.2": "Mistral-7B-v0.1",
    "mistral-7b-instruct-v0.2": "Mistral-7B-v0.1",
    "llama-30b": "Llama-1-30B",
    "llama-65b": "Llama-1-65B",
    "llama-7b": "Llama-1-7B",
    "llama-13b": "Llama-1-13B",
    "c4ai-command-r-v01": "Command-R-35B",
    "c4ai-command-r-plus": "Command-R-Plus-104B",
    "c4ai-command-r7b-12-2024": "Command-R7B",
}
# Endings of fine-tuned, converted or quantised copies: the shapes stay the same.
_MODEL_ENDINGS = re.compile(
    r"-(instruct|chat|base|hf|it|pt|thinking|deduped|uncensored|awq|gguf|gptq|bnb|4bit|8bit|int4|int8|fp8|bf16|2407|2507|2512"
    r"|\d{1,3}k|17b|16e|128e|v1\.0|text|intermediate.*|qat.*|unsloth)(?=-|$)"
)
_LATE_ENDINGS = re.compile(r"-v\d+(\.\d+)?$|-\d{4}$")


def _model_key(name: str) -> str:
    key = name.strip().lower().rsplit("/", maxsplit=1)[-1].replace("_", "-").replace(" ", "-")
    return re.sub(r"^(meta|deepseek)-(?=llama|r1-distill)", "", key)


def _squeezed(key: str) -> str:
    return re.sub(r"[^a-z0-9.]", "", key)


@lru_cache(maxsize=1)
def _model_index() -> tuple[dict[str, str], list[str]]:
    names = [str(name) for name in load_models()["model"]]
    index = {_squeezed(_model_key(name)): name for name in names}
    index |= {_squeezed(alias): name for alias, name in _MODEL_ALIASES.items()}
    # A table name may itself hold an ending ("StableLM-base-alpha-3B"); copies of it are then looked up without it.
    for name in names:
        index.setdefault(_squeezed(_MODEL_ENDINGS.sub("", _model_key(name))), name)
    return index, names


@lru_cache(maxsize=4096)
def resolve_model(name: str) -> str:
    """Name in ``models.csv`` of the model meant by ``name`` ("meta-llama/Llama-3.1-8B", "Qwen/Qwen2.5-7B-Instruct").

    An owner before a slash, upper and lower case, and endings that leave the shapes alone (-Instruct, -hf, -AWQ, a
    version) do not matter. Raises UnknownName for a name that means no model or several, listing the nearest.
    """
    index, names = _model_index()
    key = _model_key(name)
    short = _MODEL_ENDINGS.sub("", key)
    tries = [key, short, _LATE_ENDINGS.sub("", short)]
    for attempt in tries:
        if _squeezed(attempt) in index:
            return index[_squeezed(attempt)]
    starting = [known for known in names if _squeezed(_model_key(known)).startswith(_squeezed(tries[-1]))]
    # "Mistral-7B" or "Llama-4-Scout-17B-16E": one that starts so is meant, several are ambiguous.
    if key and len(starting) == 1:
        return starting[0]
    if key and starting:
        raise UnknownName("model", name, starting[: 2 * _NEAREST], ambiguous=True)
    raise UnknownName("model", name, _nearest(key, names))


def _label_parts(name: str) -> tuple[str, str, str]:
    """Name without memory and form, memory, form."""
    text = re.sub(r"\s*\((?!aftermarket).*?\)", "", name).replace(" Blackwell", "").replace(" (aftermarket)", "")
    memory = re.search(r"[-\s](\d+GB)", text)
    form = re.search(r"-(SXM|PCIe|NVL)\d?", text)
    core = re.sub(r"[-\s]\d+GB", "", re.sub(r"-(SXM|PCIe|NVL)\d?", "", text)).strip()
    return core, memory[1] if memory else "", form[1] if form else ""


@lru_cache(maxsize=1)
def _labels() -> dict[str, str]:
    names = [str(name) for name in load_gpus()["gpu"]]
    parts = {name: _label_parts(name) for name in names}
    shortest = {name: " ".join(filter(None, (core, form))) for name, (core, _, form) in parts.items()}
    labels = {}
    for name, (core, memory, form) in parts.items():
        label = shortest[name]
        if list(shortest.values()).count(label) > 1:
            label = " ".join(filter(None, (core, memory, form)))
        labels[name] = label
    taken = list(labels.values())
    return {name: label if taken.count(label) == 1 else name for name, label in labels.items()}


def short_gpu_name(name: str) -> str:
    """Label of a card for charts ("H100 SXM", "A100 80GB PCIe"); no two share one. Unknown names stay as given."""
    return _labels().get(name, name)
