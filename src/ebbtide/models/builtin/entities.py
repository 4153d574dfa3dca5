"""The names and things of a segment, from its tokens.   SPEC N10.

`entity` looks at a token alone: it takes off what is no part of the name (making progress → progress, 书本上 → 书本).
`stands_as_thing` looks around it: a stranger where an adjective or a verb stands is no entity.
Chinese words are judged by `entities_zh`.
"""

from collections.abc import Sequence

from ebbtide.core.entities import nameless
from ebbtide.core.nameless import ADJECTIVES, ADVERBS, GIVEN, NAMELESS, SPOKEN, VERBS
from ebbtide.models.builtin import entities_zh
from ebbtide.models.builtin import lexicon_en as en
from ebbtide.models.builtin import lexicon_zh as zh
from ebbtide.models.builtin.english import base, lower, singular
from ebbtide.models.builtin.tokens import Kind, Token
from ebbtide.models.builtin.weigh import vague


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Activities and products with the ending of a verb. Other words in -ing are verbs or attributes.
_GERUNDS = _words(
    """
    advertising backing baking banking bearing bedding beginning blessing boating booking bowling boxing branding
    breathing brewing briefing building camping canoeing carving ceiling cheerleading cleaning climbing clothing
    coaching coating coding collecting composing conditioning cooking counseling counselling crossing cycling dancing
    dating debugging decorating diving drawing dressing drinking driving dumpling earring editing engineering evening
    farming fencing filing filming finding fishing fitting flooring flying frosting funding gaming gardening gathering
    golfing greeting grilling grooming hearing heating hiking housing housekeeping hunting icing investing jogging
    journaling journalling juggling kayaking king knitting landing learning lending lettering licensing lighting
    lining listing logging marketing meaning meditating meeting mentoring modeling modelling monitoring morning
    mountaineering mourning networking offering opening outing packaging packing painting parenting parking
    photographing pairing planning plumbing podcasting pricing printing processing programming pudding quilting racing
    rafting ranking rating reading recording recycling rehearsing reporting ring roofing rowing running sailing saving
    savings schooling sculpting seasoning serving setting sewing shipping shopping siding singing sitting skating
    sketching skiing skydiving sleeping smoking snorkeling snowboarding spelling spring stocking storytelling
    streaming string stuffing styling surfing swimming teaching tailoring testing thanksgiving timing tracking trading
    training traveling travelling tubing tutoring underpinning upbringing volunteering walking warning washing wedding
    weaving weightlifting welding wing wiring woodworking wording wrapping wrestling writing thing being
    """
)
_ADJECTIVE_ENDS = ("ous", "ful", "less", "able", "ible", "ical", "ish", "some", "esque")
_NOT_ADJECTIVES = _words(
    "table vegetable cable fable variable constable deliverable dish fish finish parish relish polish radish "
    "english spanish british irish turkish danish swedish finnish handful spoonful bus ritual income outcome "
    "threesome wellness music collectible wearable syllable consumable crucible bible jellyfish catfish swordfish "
    "wish radical musical periodical medical chemical rash flash"
)
_NOUNS_IN_AL = _words(
    """
    animal appraisal approval arrival betrayal burial canal capital cardinal carnival cathedral cereal coral
    credential criminal crystal deal decimal denial dial dismissal disposal festival funeral goal gal hospital
    individual interval journal lethal local mall mammal manual material meal medal memorial metal mineral minimal
    mural musical narwhal numeral official ordeal pal pedal petal portal potential principal professional proposal
    rascal real recital referral refusal rehearsal removal renewal rental retrial revival rival ritual sandal scandal
    seal serial shawl signal spinal steal survival teal terminal testimonial tidal total trial tribunal tutorial
    upheaval urinal vandal vial visual vocal wheal withdrawal editorial commercial
    """
) - {"real", "local", "minimal", "lethal", "tidal", "spinal", "steal", "total"}
_GRADES = ("high-", "low-", "zero-", "full-", "long-", "short-", "must-", "one-", "two-", "three-", "all-", "mid-")
_PREFIXES = ("pre-", "post-", "non-", "self-", "well-", "semi-", "anti-", "over-", "under-", "co-", "multi-", "ultra-")
_ATTRIBUTE_ENDS = (
    "-friendly",
    "-based",
    "-free",
    "-related",
    "-like",
    "-style",
    "-made",
    "-worthy",
    "-specific",
    "-wide",
    "-level",
    "-quality",
    "-end",
    "-size",
    "-minute",
    "-hour",
    "-day",
    "-week",
    "-month",
    "-year",
    "-out",
    "-up",
    "-off",
    "-in",
    "-on",
    "-term",
    "-to-day",
    "-time",
    "-ever",
    "-old",
)
# After a noun these are its verb: the river looks, friendship means.
_TAIL_VERBS = _words(
    "look looks work works mean means help helps need needs start starts feel feels sound sounds seem seems make "
    "makes come comes go goes let lets show shows give gives take takes get gets stand stands end ends use uses "
    "play plays turn turns move moves last lasts matter matters cost costs change changes hit hits run runs guide "
    "guides"
)
_NOUNS_IN_LY = _words(
    "family assembly butterfly dragonfly anomaly italy sicily emily lily sally molly polly kelly billy kimberly "
    "beverly holly milly jelly belly bully monopoly supply reply fly july"
)
_COPULAS = _words(
    "feel feels felt look looks looked seem seems seemed sound sounds sounded get gets got become becomes became "
    "stay stays stayed keep keeps kept makes made taste tastes smell smells"
)
_PASSED = frozenset({Kind.ADVERB, Kind.NEGATION, Kind.QUALIFIER})
_ENDS = frozenset({Kind.MARK, Kind.CONJUNCTION, Kind.PREPOSITION, Kind.PARTICLE, Kind.FILLER, Kind.QUALIFIER})
_NOUN_ENDS = (
    "tion",
    "sion",
    "ment",
    "ness",
    "ity",
    "ship",
    "ance",
    "ence",
    "ism",
    "ist",
    "er",
    "or",
    "ery",
    "ology",
    "graphy",
    "hood",
    "dom",
    "age",
    "ure",
    "s",
)
_OBJECTS = frozenset({Kind.DETERMINER, Kind.PRONOUN})
_CALL_FOR_VERBS = frozenset({Kind.ADVERB, Kind.AUXILIARY, Kind.NEGATION, Kind.QUALIFIER})


def entity(token: Token) -> str | None:
    """The name under which a token is an entity, the same for all its forms; None if it can be none."""
    if token.kind is Kind.PRONOUN:
        return token.text if token.text in zh.THIRD_PERSON else en.THIRD_PERSON.get(lower(token))
    if token.kind is Kind.NAME:
        name = entities_zh.name_of(token) if token.han else _latin_name(token)
    elif token.kind is Kind.NOUN and not vague(token):
        name = entities_zh.thing_of(token) if token.han else _latin_thing(token)
    else:
        return None
    return None if name is None or nameless(name) or (name.isascii() and len(name) == 1) else name


# ---- English


def _latin_name(token: Token) -> str | None:
    """A name without the word of greeting, or the verb, that a capital letter joined to it: Hey Mel, Visit Leeds."""
    words = list(token.words)
    while len(words) > 1 and _no_name(words[0], alone=False):
        words = words[1:]
    if len(words) == 1 and _no_name(words[0], alone=True):
        return None
    start = token.text.find(words[0])
    return token.text[start:] if start >= 0 else " ".join(words)


def _no_name(word: str, *, alone: bool) -> bool:
    low = word.lower().replace("’", "'")
    if low in GIVEN and word[0].isupper() and not word.isupper():
        return False
    if low in SPOKEN or low in VERBS or low in en.PRONOUNS or low in en.QUESTIONS or low in ADVERBS - {"the", "of"}:
        return True
    if _verbal(low) and not word.isupper():
        return True
    shaped = _attribute(low) or (
        low.endswith("ly") and len(low) > 5 and low not in en.NOUNS and low not in _NOUNS_IN_LY
    )
    if not alone:
        return False
    if low in ADJECTIVES:  # Central: inside a sentence a name, which `usable` sees by the place
        return False
    return low in NAMELESS or base(low) in ADJECTIVES or (shaped and not word.isupper())


def _latin_thing(token: Token) -> str | None:
    words = [word.lower() for word in token.words]
    inner = next((i for i, word in enumerate(words) if i and word in ADVERBS), len(words))
    words = words[:inner]
    while words and (_no_head(words[-1]) or (len(words) > 1 and words[-1] in _TAIL_VERBS)):
        words.pop()
    while len(words) > 1 and _no_part(words[0]):
        words = words[1:]
    if not words or (len(words) == 1 and words[0] in en.GENERIC):
        return None
    *rest, last = words
    return " ".join([*rest, singular(last)])


def _no_head(word: str) -> bool:
    return word in NAMELESS or singular(word) in NAMELESS or _attribute(word) or _verbal(word)


def _no_part(word: str) -> bool:
    return word in ADJECTIVES or word in VERBS or word in SPOKEN or word in ADVERBS or _attribute(word) or _verbal(word)


def _verbal(word: str) -> bool:
    if word.endswith("ing") and len(word) > 4:
        return word not in _GERUNDS and word.rpartition("-")[2] not in _GERUNDS
    if word.endswith("in") and len(word) > 4 and f"{word}g" not in _GERUNDS and base(f"{word}g") in en.VERBS:
        return True  # doin, catchin
    if (
        word.endswith(("ize", "ify"))
        and word not in {"prize", "size", "capsize", "spotify", "shopify"}
        and "-" not in word
    ):
        return True
    return word.endswith("ed") and len(word) > 4 and not word.endswith(("eed", "bed", "shed")) and word != "hundred"


def _attribute(word: str) -> bool:
    """Adjectives by their shape: hopeless, self-sufficient, budget-friendly."""
    shaped = word.endswith(_ADJECTIVE_ENDS) and len(word) > 5 and word not in _NOT_ADJECTIVES
    shaped = shaped or (
        word.endswith(("ier", "iest")) and f"{word.removesuffix('iest').removesuffix('ier')}y" in ADJECTIVES
    )
    shaped = shaped or (word.endswith("al") and len(word) > 4 and word.rpartition("-")[2] not in _NOUNS_IN_AL)
    return (
        shaped
        or word.endswith(_ATTRIBUTE_ENDS)
        or word.startswith(_GRADES)
        or (word.startswith(_PREFIXES) and not word.endswith(_NOUN_ENDS[:-1]))
    )


# ---- what stands around it


def stands_as_thing(tokens: Sequence[Token], i: int) -> bool:
    """False where a word stands as a verb, or an English stranger as an adjective (it is so agile)."""
    token = tokens[i]
    after = tokens[i + 1] if i + 1 < len(tokens) else None
    if token.han and token.kind is Kind.NOUN and not token.parts:
        return not entities_zh.acts(tokens, i, after)
    if token.han or len(token.words) > 1:
        return True
    if token.kind is Kind.NAME:
        return not _opens_as_verb(tokens, i, after)
    if _governs(tokens, i, after):
        return False
    if token.kind is not Kind.NOUN or lower(token) in en.NOUNS or lower(token).endswith(_NOUN_ENDS):
        return True
    return not (_predicate(tokens, i) and (after is None or after.kind in _ENDS))


def _opens_as_verb(tokens: Sequence[Token], i: int, after: Token | None) -> bool:
    """Grab the keys, Told him: a sentence that opens with a stranger and goes on with an object."""
    before = tokens[i - 1] if i else None
    opens = before is None or before.kind in {Kind.MARK, Kind.FILLER}
    plain = tokens[i].text[1:].islower() and lower(tokens[i]) not in GIVEN
    return opens and plain and after is not None and after.kind in _OBJECTS and lower(after) not in en.SUBJECTS


def _governs(tokens: Sequence[Token], i: int, after: Token | None) -> bool:
    """games that spin you, can also consult a vet: between what calls for a verb and its object."""
    before = tokens[i - 1] if i else None
    if before is not None and lower(before) in en.SUBJECTS - {"you", "it"} and tokens[i].kind is Kind.NOUN:
        return True  # I juggle
    if before is None or after is None or after.kind not in _OBJECTS:
        return False
    subject = before.kind is Kind.PRONOUN and lower(before) not in en.POSSESSIVES
    return subject or before.kind in _CALL_FOR_VERBS or lower(before) in {"to", "that", "who", "which", "and", "or"}


def _predicate(tokens: Sequence[Token], i: int) -> bool:
    j = i - 1
    while j >= 0 and tokens[j].kind in _PASSED:
        j -= 1
    return j >= 0 and (lower(tokens[j]) in en.BE or lower(tokens[j]) == "'s" or lower(tokens[j]) in _COPULAS)
