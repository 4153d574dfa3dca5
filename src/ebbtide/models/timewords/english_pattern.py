"""What an English expression of time looks like: one pattern, whose alternatives are read in `english.py`.

It is written for small letters and single spaces, and tried only where an expression may begin: ten times as fast as a
search. Every alternative is a named group; the names of the groups inside begin alike.
"""

import re

from ebbtide.core.numerals import MONTHS, NUMBER_WORDS
from ebbtide.models.timewords.holidays import ENGLISH as HOLIDAYS

_ONES = "one|two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
_ORDINAL = (
    "(?:(?:twenty|thirty)[- ])?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|tenth|eleventh|twelfth|"
    "(?:thir|four|fif|six|seven|eigh|nine)teenth|twentieth|thirtieth"
)
_COUNT = rf"\d{{1,3}}(?:\.5)?|(?:twenty|thirty|forty|fifty|sixty)(?:[- ](?:{_ONES}))?|{_TEENS}|{_ONES}|half an?|an?"
_SOME = r"(?:a )?couple(?: of)?|(?:a )?few|several|some"
_HOW_MANY = rf"{_COUNT}|{_SOME}"
_UNIT = r"(?:minute|min|hour|hr|day|night|week|wk|weekend|fortnight|month|year|yr)s?"
_DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?(?![\d:%])|(?:{_ORDINAL}))"
_TO = r" ?(?:-|–|—|to|until|till|through|and) ?(?:the )?"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_YEAR = r"(?:19|20)\d\d(?![\da-z]| ?%)"
_OF_YEAR = rf"(?:,? (?:of |in )?(?:the )?(?P<{{0}}>{_YEAR}|(?:last|this|next|previous) year|year before last))?"
_PART = (
    r"(?:early|earlier|late|later|mid|(?:(?:the )?(?:very )?(?:start|beginning|middle|end)|"
    r"(?:the )?(?:first|second|third|fourth|last) (?:week|half)) (?:of|in))"
)
_WHICH = r"(?:last|this past|this coming|this|next|past|previous|coming|upcoming|following)"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_SEASON = "spring|summer|autumn|fall|winter"
_HOLIDAY = "|".join(map(re.escape, HOLIDAYS))
_MODIFIED = rf"(?:(?P<{{0}}which>{_WHICH}) )?(?:(?P<{{0}}part>{_PART})[ -](?:the )?)?(?:(?P<{{0}}also>{_WHICH}) )?"

_ALTERNATIVES = (
    r"(?P<iso>(?P<iy>\d{4})(?P<cut>[-/.])(?P<im>\d{1,2})(?:(?P=cut)(?P<id>\d{1,2}))?(?![\d/%-]|\.\d))",
    r"(?P<slashed>(?P<sa>\d{1,2})(?:/(?P<sb>\d{1,2})(?:/(?P<sy>\d{4}|\d\d))?|(?P<scut>[.-])(?P<sc>\d{1,2})(?P=scut)"
    r"(?P<sz>\d{4}))(?![\d/%]))",
    rf"(?P<monthly>(?:(?P<d1>{_DAY})(?:{_TO}(?P<d2>{_DAY}))? (?:of )?)?{_MODIFIED.format('m')}(?P<month>{_MONTH})"
    rf"(?: (?:the )?(?P<d3>{_DAY})(?:{_TO}(?P<d4>{_DAY}))?)?{_OF_YEAR.format('my')})",
    r"(?P<same>(?:this (?:time|day|week|month)|(?:the )?same (?:time|day|week|month)|today) last "
    r"(?P<samein>year|month|week))",
    rf"(?P<ago>(?:one and a half|(?P<agocount>{_HOW_MANY})) (?:more )?(?P<agounit>{_UNIT})"
    r"(?P<andhalf> and a half)? (?:ago|back(?! (?:to|in|from|and)))(?P<agotoday> today)?)",
    rf"(?P<agonamed>(?P<ancount>{_COUNT}) (?P<anname>{_WEEKDAY}|{_SEASON})s? ago\b)",
    rf"(?P<past>(?:(?:the|these) )?(?:last|past) (?:(?P<pastcount>{_HOW_MANY}) (?P<pastunit>{_UNIT})|"
    r"(?<=the last )(?P<pastone>week|month|year)\b|(?<=the past )(?P<pastsole>week|month|year)\b))",
    rf"(?P<beforelast>(?P<blunit>night|week|weekend|month|year|{_SEASON}|{_WEEKDAY}) before last\b)",
    rf"(?P<relative>(?:(?P<relpart>{_PART}) (?P<relof>{_WHICH}|the)|(?P<relwhich>{_WHICH})) "
    r"(?P<relunit>weekend|week|month|quarter|year|night|morning|afternoon|evening|time)(?!\w))",
    rf"(?P<weekday>(?:(?P<wdwhich>{_WHICH}) )?(?P<wday>{_WEEKDAY})\b"
    rf"(?: (?P<wdpart>mornings?|afternoons?|evenings?|nights?)\b)?(?: (?:of )?(?P<wdweek>{_WHICH}) week\b)?"
    rf"(?!,? (?:the )?(?:\d{{1,2}}\b(?! ?[:ap])|{_MONTH})))",
    rf"(?P<season>{_MODIFIED.format('s')}(?P<sname>{_SEASON})\b{_OF_YEAR.format('ssy')})",
    rf"(?P<holiday>(?:(?P<hwhich>{_WHICH}) )?(?P<hname>{_HOLIDAY})(?!\w){_OF_YEAR.format('hy')})",
    rf"(?P<quarter>(?:q(?P<q>[1-4])|(?P<qword>first|second|third|fourth) quarter)\b{_OF_YEAR.format('qy')})",
    r"(?P<numbered>the (?P<nday>\d{1,2})(?:st|nd|rd|th)(?: of (?P<nmonth>this|last|next|the) month\b|"
    r"(?= ?(?:[?.!,;]|$|(?:did|do|i|we|he|she|they|you|was|were|and|at|with)\b))))",
    rf"(?P<yearly>(?:(?P<ypart>{_PART})[ -])?(?P<year>{_YEAR})(?![-/.,:]\d))",
    r"(?P<word>yesterday|today|tonight|tomorrow|the other (?:day|night)|(?:over|at) the weekend|recently|"
    r"lately|these days)(?!\w)",
)
_PREFIX = (
    rf"(?:(?:(?P<gap>(?:{_HOW_MANY}) {_UNIT}|(?:last )?(?:day|night|week|weekend|month|year|{_WEEKDAY})) "
    r"(?=before|after|prior))?"
    r"(?P<prefix>before|after|prior to|since|until|till|by|every|each|most) (?:the )?)?"
)
EXPRESSION = re.compile(rf"{_PREFIX}(?:{'|'.join(_ALTERNATIVES)})", re.ASCII)  # a word ends before Chinese too


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TRIGGERS = _words(  # without one of these or a digit, a text names no time
    "sept monday tuesday wednesday thursday friday saturday sunday ago back last past previous this these next "
    "yesterday today tonight tomorrow other weekend recently lately spring summer autumn fall winter quarter month year"
).union(MONTHS, (month[:3] for month in MONTHS), (re.split("[^a-z]", name)[0] for name in HOLIDAYS), "0123456789")
STARTS = TRIGGERS | _words(  # what an expression begins with
    "the early earlier late later mid start beginning middle end coming upcoming following same a an half "
    "couple few several some day night week over at q before after prior since until till by every each most"
).union(NUMBER_WORDS)
TOKEN = re.compile(r"(?<![a-z0-9/.])(?:[a-z]+|\d)")
HABIT = re.compile(r"\b(?:how often|usual(?:ly)?|normal(?:ly)?|typical(?:ly)?|generally|always|often)\b")
OPENS = re.compile(  # what may make a time of a doubtful word
    r"\b(in|during|over|of|since|around|on|from|to|through|between|and|or|until|by|that|throughout|all|year|back in|"
    r"the) (?:the |about )?$"
)
CLOSES = re.compile(r" ?(?:[?.!,;]|$|'s\b|(?:and|or|to)\b)")
JOINED_BEFORE = re.compile(rf"(?:{_MONTH}|\d) ?(?:and|or|to|through|-|–) ?$")  # April and May
JOINED_AFTER = re.compile(rf" ?(?:and|or|to|through|-|–) ?(?:in )?{_MONTH}")
