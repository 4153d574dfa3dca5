"""English words whose part of speech is worth knowing by heart. Everything else is judged by shape and place.

Closed classes are whole; open classes hold what is frequent, above all what would be misread: verbs without a
telling ending, and common words that a capital letter at the start of a sentence could pass off as names.
"""


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_words = words


THIRD_PERSON = {
    **dict.fromkeys(("he", "him", "his", "himself"), "he"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "she"),
    **dict.fromkeys(("they", "them", "their", "theirs", "themselves"), "they"),
}
FIRST_PERSON = {
    **dict.fromkeys(("i", "me", "my", "mine", "myself"), "I"),
    **dict.fromkeys(("we", "us", "our", "ours", "ourselves"), "we"),
    **dict.fromkeys(("you", "your", "yours", "yourself", "yourselves"), "you"),
}
POSSESSIVES = _words("my your his her its our their")
PRONOUNS = (
    frozenset(THIRD_PERSON)
    | frozenset(FIRST_PERSON)
    | _words(
        "it its itself someone somebody something anyone anybody anything everyone everybody everything ones "
        "another others"
    )
)
SUBJECTS = _words("i he she we they it you")
# A sentence that opens with one of these leans on the sentence before.
ANAPHORA = _words("he she they it him her them his their its this that these those there here both so then")
DETERMINERS = _words(
    "a an the this that these those some any each every all both either such much many more most few several "
    "enough other own same"
)
PREPOSITIONS = _words(
    "about above across after against along among around as at before behind below beside besides between beyond by "
    "despite down during except for from in inside into near of off on onto out outside over past per regarding since "
    "than through throughout to toward towards under until till up upon via with within like plus"
)
PLACE_PREPOSITIONS = _words("in at near inside outside beside behind across from around")
JOINERS = _words("and or &")
CONJUNCTIONS = JOINERS | _words(
    "but so yet because although though while whereas when whenever where wherever whether once that which who whom "
    "whose what how why"
)
CLAUSE_OPENERS = _words("but because although though while whereas unless if when whenever since")
CONTRASTS = _words("but except though although whereas instead")
QUESTIONS = _words("what who whom whose where when why how which")
BE = _words("be am is are was were been being 'm 're")
MODALS = _words("will would shall should can could must ought 'll 'd")
HAVE_DO = _words("have has had having 've do does did doing")
NEGATIONS = _words(
    "not never no none nobody nothing nowhere neither nor without cannot hardly barely scarcely rarely seldom"
)
NEGATIVE_OBJECTS = _words("no none nobody nothing nowhere neither")
QUALIFIERS = _words(
    "if unless maybe perhaps possibly probably may might almost nearly only supposedly allegedly apparently"
)
FILLERS = _words(
    "ha oh ah hey hi hello wow yeah yes yep yup okay ok sure thanks thank thx please well anyway actually basically "
    "honestly literally hmm um uh er haha lol great awesome cool nice sweet yay alright right exactly indeed "
    "congratulations congrats welcome sorry cheers bye goodbye understood noted gotcha absolutely definitely certainly"
)
INTENSIFIERS = _words(
    "very really quite pretty so too just totally completely extremely super truly simply even still also already "
    "rather fairly somewhat always ever again"
)
ADVERBS = INTENSIFIERS | _words(
    "here there now then later soon ago away back together often sometimes usually once twice else instead otherwise "
    "however therefore thus meanwhile moreover furthermore finally next yet far long well maybe abroad home "
    "forward ahead indoors outdoors anywhere everywhere somewhere nowhere upstairs downstairs tomorrow's further less least most more ok today's besides"
)
TOPIC_CUES = (
    ("by", "the", "way"),
    ("on", "another", "note"),
    ("on", "a", "different", "note"),
    ("on", "a", "separate", "note"),
    ("changing", "the", "subject"),
    ("change", "of", "subject"),
    ("one", "more", "thing"),
    ("another", "thing"),
    ("something", "else"),
    ("separately",),
    ("speaking", "of"),
    ("back", "to"),
    ("going", "back", "to"),
    ("as", "for"),
    ("anyway",),
    ("incidentally",),
    ("btw",),
    ("oh", "and"),
    ("new", "topic"),
    ("before", "i", "forget"),
)
STEP_CUES = (("then",), ("after", "that"), ("afterwards",), ("later",), ("next",), ("finally",))


def _phrases(*texts: tuple[str, str]) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """By first word: the phrase and the kind its words take on."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for text, kind in texts:
        words = tuple(text.split())
        found.setdefault(words[0], []).append((words, kind))
    return found


PHRASES = _phrases(
    *((text, "filler") for text in (
        "as well", "of course", "at all", "to be honest", "in fact", "by the way", "on another note", "you know",
        "i mean", "kind of", "sort of", "a bit", "a lot of", "i guess", "so far", "in general", "thank you", "thanks a lot",
        "to be fair", "at the moment", "right now", "as always", "good luck", "no problem", "no worries", "got it",
    )),
    *((text, "qualifier") for text in ("at most", "at least", "up to", "more than", "less than", "as long as", "even if")),
)  # fmt: skip

NUMERALS = _words(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen half third "
    "quarter second first fourth fifth sixth seventh eighth ninth tenth"
)
WEEKDAYS = _words(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays "
    "fridays saturdays sundays"
)
MONTHS = _words(
    "january february march april may june july august september october november december jan feb mar apr jun jul "
    "aug sep sept oct nov dec jan. feb. mar. apr. jun. jul. aug. sep. sept. oct. nov. dec."
)
DAYS = _words("today tomorrow yesterday tonight") | WEEKDAYS
SPANS = _words(
    "morning afternoon evening night noon midnight week weekend month year quarter summer winter spring autumn fall "
    "semester term day"
)
SPAN_OPENERS = _words("next last this every coming past previous early late mid")
TITLES = _words("mr mrs ms miss dr prof professor doctor sir mr. mrs. ms. dr. prof. st. captain aunt uncle coach")
ABBREVIATIONS = TITLES | MONTHS | _words("e.g. i.e. etc. vs. no. approx. inc. ltd. co. corp. a.m. p.m. jr. sr. fig.")
NAME_LINKS = _words("of the and & de la van von der del di")

GENERIC = _words(
    "thing things stuff way ways lot lots kind kinds sort sorts bit time times one ones something anything everything "
    "nothing someone anyone everyone people person day days part parts case point fact idea place end start rest "
    "example matter reason while moment couple number amount side turn self type types form bunch tons place "
    "note notes question questions answer answers help yes no ok okay thanks "
    "morning afternoon evening night noon week weekend weeks months years month year hour hours minute minutes "
    "second seconds plenty pound pounds euro euros dollar dollars percent cent cents mile miles kilometre metre"
)
PLACE_NOUNS = _words(
    "pier street road avenue lane square station airport port harbour harbor library park hotel hostel restaurant cafe "
    "café bar pub shop store market mall museum gallery theatre theater cinema school university college campus "
    "hospital clinic pharmacy office building tower room floor hall house home flat apartment garden beach lake river "
    "island mountain hill bridge city town village district county country centre center gym stadium bank church "
    "temple kitchen warehouse factory lab studio terminal gate bakery yard farm court plaza"
)
MOTION = _words(
    "go goes went gone going come comes came coming move moves moved moving travel travels travelled traveled fly "
    "flies flew flying drive drives drove driving walk walks walked walking head heads headed heading return returns "
    "returned arrive arrives arrived ride rode flight train ticket"
)

VERBS = _words(
    """
    accept achieve add admit advise affect afford agree aim allow announce answer apologise apologize appear apply
    appreciate approve argue arrange arrive ask assume attach attend avoid bake base beat beaten become became began
    begin begun believe belong bend bet bite bleed blow book borrow bought bounce break broke broken bring brought
    broadcast build built burn buy call came cancel care carry catch caught celebrate change charge chase cheat check
    choose chose chosen claim clean clear climb close collect come compare complain complete confirm connect consider
    contact contain continue cook copy cost count cover create cross cry cut dance deal dealt decide decline deliver
    demand deny depend deposit done describe deserve design destroy develop die dig discover discuss draw drawn drew drink
    drank drunk drive driven drop earn eat ate eaten email encourage end enjoy ensure enter escape examine exist
    expect explain face fail fall fallen fear feed fed feel fell felt fetch fight fill find finish fit fix fly flew
    flown focus follow forbid forget forgot forgotten forgive found gain gather gave get give given go goes gone got
    gotten grew grow grown guess hand handle hang happen hate hear heard held help hide hit hold hope hung hurt
    identify ignore imagine improve include increase inform install intend introduce invite involve join jump keep
    kept kick kill knew know known land last laugh lead learn leave led left lend lent let lie like limit listen live
    locate lock look lose lost love made make manage mark matter mean meant measure meet mention met mind miss move
    need notice obtain occur offer open order owe own pack paid paint park pass pay perform pick plan plant play
    point practise practice prefer prepare present prevent produce promise protect prove provide publish pull push
    put quit raise ran reach read realise realize receive recommend record reduce refer refund refuse regret reject
    relax release remain remember remind remove rent repair repeat replace reply report request require rescue
    reschedule reserve rest return review ride rise rode roll run rush said sail sang sat save saw say schedule see
    seek seem seen sell send sent serve set settle shake share ship shoot shop show showed shown shut sign sing sit
    skip sleep slept slip smell smile smoke sold solve sort sound speak spell spend spent spoke spoken spread stand
    start stay steal stick stole stolen stood stop store study submit succeed suffer suggest suit support suppose
    surprise swam swim switch take taken talk taste taught teach tell tend test thank think thought threw throw tie
    told took touch track trade train translate travel treat trust try turn type understand understood update upload
    use verify visit wait wake walk want wanna warn wash watch wear went win wish won wonder wore work worn worry
    write written wrote
    """
)
# Verbs that are at least as often nouns: verbs only where the place says so.
NOUN_VERBS = _words(
    "answer book call care change charge check claim cost count cover cross cut dance deal demand deposit design drink "
    "drive drop email end escape face fear fight focus guess hand help hope increase land last lead lie limit lock look "
    "love mark matter measure mind move need notice offer order paint park pass pay pick plan plant play point practice "
    "present promise push record refund rent repair reply report request rescue rest return review ride rise roll run "
    "rush sail schedule set shake share ship shop show sign sleep smell smile smoke sort sound spell stand start stay "
    "stick stop store study suit support surprise swim switch talk taste test tie touch track trade train travel treat "
    "trust turn type update use visit wait walk wash watch wear win wish wonder work worry trip left found saw felt "
    "mean hold finish kick hit hide bet bite blow break build close catch experience feel"
)
ADJECTIVES = _words(
    """
    able afraid complete last next right sorry alive alone amazing angry awesome annoyed available aware awful bad beautiful best better big bitter black
    blue brave bright broken brown busy calm cheap clean clear clever close cold comfortable common confident cool correct
    crazy cute daily dark dead deep delicious different difficult dirty double dry due early easy empty entire excited
    exciting expensive extra fair false familiar famous fast fat favorite favourite fine flat former free fresh
    friendly full fun fantastic funny general gentle glad good great gray green grey happy hard healthy heavy high hot huge hungry
    important interested interesting kind large late lazy light likely little local lonely long lovely loose loud low lucky
    main major medium mild minor modern monthly narrow natural nervous new nice normal odd official old online only open
    orange original pale perfect personal pink plain pleasant poor popular possible private proud public pure quick
    quiet rare raw ready real recent red regular remote rich rough round rude sad safe scared secret serious sharp
    short silent silly similar simple single slow small smart smooth social soft sour special specific spicy
    strange strong sudden sure sweet tall tender thick thin tidy tight tiny tired tough true typical ugly unable unhappy
    upset useful usual valid warm weak weekly weird wet white whole wide wild willing wise
    wonderful worried worse worst worth wrong yellow yearly young
    """
)
# Everyday nouns: no names, even when a sentence opens with one; and no news as keywords.
NOUNS = _words(
    """
    account address age agent air apartment appointment area arm art article aunt baby bag ball band bank bed bedroom
    bike bill bird birthday board boat body boss bottle box boy bread breakfast brother budget building bus business
    cake camera camp car card cat chair chance child children choice city class client cloud club coat coffee college
    colleague color colour company computer concert conference contract conversation cookie country course cousin
    customer data date daughter deadline decision degree dentist design desk detail details device dinner direction
    doctor document dog door draft dream dress drinks driver ear egg engine error event evening exam eye eyes family
    farm father feedback feeling feelings field file film fire fish flat flight floor flower flowers food foot friend
    friends fruit fun game garden gift girl glass goal grandma grandmother grandpa group guest guide guitar guy guys
    hair health heart hobby holiday home hospital hotel hour hours house husband insurance interview invoice issue job
    journey juice key keys kid kids kitchen language laptop law lawyer leader lease leg lesson letter level library
    life list location luck lunch machine man manager map market marriage math meal meals meat medicine meeting member
    memory men message milk mind minute minutes money mood mother mountain movie museum music name neighbor neighbour
    nephew news niece noise nose novel nurse office option options owner page pain paper parents park parking partner
    party passport password past payment pet phone photo photos picture piece plane plant plate player police pool
    post power price printer problem problems process product program project purpose rain receipt recipe relationship
    restaurant result results rice road room rule salad salary sale school score sea season seat section service
    session shirt shoes shower sister size skin sky sleep snow solution son song soup space sport staff stage station
    step story street stress student students style subject sugar summer sun system table task tea teacher team
    teeth tennis tests theme therapy ticket tickets title tooth topic total town toy traffic train training tree trip
    trouble truck uncle university vacation vegetables version video view village voice wall water weather website
    vegetable butterfly dragonfly picnic clinic fabric comic mechanic metric topic plastic ceramic logic critic cable
    wedding weeks wife wind window wine winter woman women word words world yard
    """
)
EVERYDAY = VERBS | ADJECTIVES | NOUNS
# Before another verb these say little: going to meet.
MOVING = _words("go goes going gone went come comes coming came start started keep")
LIGHT_VERBS = _words(
    "get gets got getting go goes going went gone come comes came make makes made making do does did have has had take "
    "takes took taken put let lets say says said tell tells told know knows knew think thinks thought want wants wanted "
    "need needs needed like likes liked see sees saw seen look looks looked feel feels felt seem seems use uses used "
    "mean means meant keep keeps kept guess hope love try start started thank be give gave given sound sounds sounded"
)
