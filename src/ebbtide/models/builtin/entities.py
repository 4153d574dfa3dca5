"""The names and things of a segment, from its tokens.   SPEC N10.

`entity` looks at a token alone: it takes off what is no part of the name (making progress → progress, 书本上 → 书本).
`stands_as_thing` looks around it: a stranger where an adjective or a verb stands is no entity.
"""

from collections.abc import Sequence
from functools import lru_cache

from ebbtide.core.entities import nameless
from ebbtide.core.nameless import ADJECTIVES, ADVERBS, GIVEN, NAMELESS, SPOKEN, VERBS
from ebbtide.models.builtin import chinese
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
_LOCALIZERS = "里上中内外下边"
_NO_PART = "不太很也都就会能要是了着过吗呢吧我你他她它这那没把被让真总"
_ACTS = "打踢画放做看听吃喝包流写唱玩骑坐洗买卖讲发救种踩拍养搬弹跳跑爬游找拿送"
_HEADS = _words(
    "方法 速度 效果 计划 目标 水平 成绩 项目 习惯 态度 经验 过程 资料 任务 报告 数据 结果 工具 环境 机会 方案 安排 "
    "内容 进度 费用 笔记 文件 通知 邮件 软件 公司 中心 学校 学院 机构 老师 教练 同学 同事 伙伴 时间 地点 系统 接口 "
    "页面 平台"
)
_WHEN = ("后", "前", "时", "之后", "之前", "期间", "以来", "时候")
_COUNTERS = "个只本张件位条家种名杯份部场套块支辆棵朵碗盘片颗对副架堂幅首座间群束盒瓶双把"


def entity(token: Token) -> str | None:
    """The name under which a token is an entity, the same for all its forms; None if it can be none."""
    if token.kind is Kind.PRONOUN:
        return token.text if token.text in zh.THIRD_PERSON else en.THIRD_PERSON.get(lower(token))
    if token.kind is Kind.NAME:
        name = _han_name(token) if token.han else _latin_name(token)
    elif token.kind is Kind.NOUN and not vague(token):
        name = _han_thing(token) if token.han else _latin_thing(token)
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


# ---- Chinese


def _han_name(token: Token) -> str | None:
    word = _bare(token.text.lstrip("和与跟及") if len(token.text) > 2 else token.text)
    return word if (len(word) > 1 and not _coloured(word)) or word in zh.NOUNS else None


def _han_thing(token: Token) -> str | None:
    """The first nouns of a compound; verbs and attributes it was put together with end it: 学校操场 + 踢足球."""
    run: list[str] = []
    parts = token.words
    for i, part in enumerate(parts):
        noun = _noun(part, only=len(parts) == 1)
        if noun is None or (part in zh.NOUN_VERBS and not run and i + 1 < len(parts) and not _head(parts[-1])):
            if run:
                break
        elif noun == part:
            run.append(noun)
        else:
            return "".join([*run, noun]) if noun in part[:-1] or not run else "".join(run)
    return "".join(run) or None


def _noun(word: str, *, only: bool) -> str | None:
    """The noun in a word of the dictionary; None if there is none."""
    bare = _bare(word)
    if bare in NAMELESS or bare.endswith((*_WHEN, "的")) or _coloured(bare):
        return None
    if len(bare) == 1:
        listed = bare in zh.NOUNS if only else _label(bare)[0] == "n" or bare in zh.NOUNS
        return bare if listed and (only or bare not in _ACTS) else None
    listed = bare in zh.NOUNS or bare in zh.NOUN_VERBS or _label(bare) == "vn"
    listed = listed or (_label(bare) == "f" and bare not in zh.AROUND and bare not in zh.BOUNDS)  # 前端
    return _cut(bare) if listed or _label(bare)[0] not in "adrtmzbfvicupy" else None


def _head(word: str) -> bool:
    """学习 + 方法 is a thing, 学习 + 剑术 is to learn something."""
    return word in _HEADS or word[-1] in "题课班室法量率期点表书会员区品类度力感者师家营队组场馆证费单"


def _coloured(word: str) -> bool:
    return (
        word.endswith(("色", "形", "制"))
        and len(word) < 4
        and word not in {"角色", "景色", "特色", "脸色", "情形", "体制"}
    )


def _bare(word: str) -> str:
    """Without 大大的, 一棵 before it and 里, 上, 们 after it."""
    word = word.rpartition("的")[2] or word
    if len(word) > 2 and word.endswith("们"):
        word = word[:-1]
    if len(word) > 2 and word[0] in "一两几这那每" and word[1] in _COUNTERS:
        word = word[2:]
    if len(word) == 2 and word[0] in "朵棵幅辆" and word[1] in zh.NOUNS:
        word = word[1:]
    if len(word) > 2 and word[-1] in _LOCALIZERS and _label(word[:-1])[0] == "n":
        return word[:-1] if word[-1] == "里" or chinese.frequency(word) < 60 else word
    return word


def _cut(word: str) -> str | None:
    """What the dictionary has as one word and is a verb with its object, or a noun with what is said of it."""
    if chinese.frequency(word) > 100:
        return word
    if any(char in _NO_PART for char in word):
        return None
    if len(word) in {3, 4} and word[0] in _ACTS and not _known(word[:2]) and _label(word[1:])[0] == "n":
        return word[1:] if _known(word[1:]) and word[1:] not in NAMELESS else None
    if len(word) == 2 and word[0] in _ACTS and word[1] in zh.NOUNS and chinese.frequency(word) < 30:
        return None
    return _halved(word) if len(word) == 4 and _known(word[:2]) and _known(word[2:]) else word


def _halved(word: str) -> str | None:
    one, two = word[:2], word[2:]
    if _label(two)[0] in "ad" or two in NAMELESS:
        return None
    if _label(one)[0] == "v":
        return two if _label(two)[0] == "n" else None
    return two if one in ADJECTIVES else word


def _known(word: str) -> bool:
    return chinese.frequency(word) > 60


@lru_cache(maxsize=65536)
def _label(word: str) -> str:
    import rjieba

    tagged = rjieba.tag(word, False)
    return str(tagged[0][1]) if len(tagged) == 1 else "n"


# ---- what stands around it


def stands_as_thing(tokens: Sequence[Token], i: int) -> bool:
    """False where an English stranger stands as an adjective (it is so agile) or, at the start, as a verb."""
    token = tokens[i]
    if token.han or len(token.words) > 1:
        return True
    after = tokens[i + 1] if i + 1 < len(tokens) else None
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
