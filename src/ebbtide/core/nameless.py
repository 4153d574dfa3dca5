"""Words that name neither a person nor a thing: no memory is filed under them. SPEC N10.

The lists hold what is frequent in speech and could pass for a noun or, with a capital letter at the start of a
sentence, for a name. Words that are as often a thing (walk, dance, plan) are not here. Given names that are words too
(Will, Grace) are kept apart: with a capital letter they are names.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SPEAKERS = _words(
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves u ur ya y'all yall 我 你 您 "
    "我们 你们 咱们 咱 俺 自己 本人 我的 你的 大家 人家 别人 对方 双方 彼此 有人 某人"
)
HE, SHE = _words("he him his himself 他"), _words("she her hers herself 她")
THEY = _words("they them their theirs themselves 他们 她们")
IT = _words("it its itself 它 它们 they're it's")
OTHERS = _words(
    "this that these those what who whom whose which where when why how there here one ones another other others "
    "someone somebody something anyone anybody anything everyone everybody everything none nobody nothing each both "
    "all any some many much more most few several such same 谁 什么 哪里 这 那 这个 那个 这些 那些 这里 那里 这儿 "
    "那儿 这样 那样"
)

# Interjections, greetings, assent, slang, contractions, chat shorthand.
SPOKEN = _words(
    """
    eh anytime looky woo woohoo oof argh yippee ahh ooo whew hmmm whoa woah wow wowza yay yup yep yeah yea yes nah nope
    no ok okay okey oh ooh oops ouch ow ugh huh hmm hm mhm mm um uh er ah aha aw aww awww haha hahaha hehe lol lmao
    rofl omg wtf btw imo imho fyi asap tbh idk ikr ty thx tysm np nvm brb xoxo hey heya hi hiya hello howdy yo sup bye
    goodbye cya ciao cheers welcome thanks thank congrats congratulations kudos bravo hooray hurray hurrah phew gosh
    geez jeez gee darn damn heck dang shoot crap wham bam boom yikes yuck yum yummy eww meh duh psst shh tada ta voila
    bingo amen alas ahem please pls plz sorry gonna wanna gotta gimme lemme kinda sorta dunno outta lotta hafta oughta
    shoulda coulda woulda cuz cause 'cause coz cos til till tho thru fave faves fav favs bestie besties bro bruh sis
    dude dudes mate fam vibe vibes feels deets legit lit dope rad epic sick chill chillax cringe slay bummer yolo fomo
    af aka etc eg ie vs ps nb re aint ain't don't won't can't couldn't wouldn't isn't aren't wasn't weren't hasn't
    haven't hadn't doesn't didn't shouldn't let's lets i'm i've i'll i'd you're you've that's what's there's here's
    who's how's anyways anyway anyhow alright alrighty aight okie dokie sure fine great awesome cool nice sweet neat
    lovely wonderful amazing fantastic fabulous terrific excellent brilliant perfect super totally exactly absolutely
    definitely certainly indeed agreed noted understood done gotcha 嗯 嗯嗯 哦 噢 喔 啊 呀 哇 哇塞 哈 哈哈 哈哈哈 嘿
    嘿嘿 嘻嘻 呵呵 哎 哎呀 哎哟 唉 呃 额 呜呜 呜呜呜 喂 嗨 哼 切 咦 呗 哟 咯 喽 啦 嘛 好 好的 好吧 好啊 好呀 好嘞 行
    行吧 对 对啊 对呀 是 是的 是啊 没错 没事 没关系 没问题 可以 当然 谢谢 多谢 感谢 不客气 不好意思 抱歉 对不起 你好
    您好 再见 拜拜 晚安 早安 早上好 晚上好 加油 辛苦 辛苦了 恭喜 真的 真的吗 天哪 天啊 我的天 卧槽 牛 牛逼 厉害 绝了
    哈喽 收到 明白 知道 了解 放心 超级 超 特别 非常 真是 确实 其实 反正 总之 话说 顺便 另外 然后 所以 因为 但是 不过
    而且 如果 还有 比如 例如 尤其 一下 一点 一些 一起 一样 一直
    """
)
# Nouns that stand for anything, amounts, spans and parts of the day.
VAGUE = _words(
    """
    thing things stuff lot lots way ways kind kinds sort sorts bit bits time times part parts case cases point points
    fact facts idea place places end ends start beginning rest example examples instance matter matters reason reasons
    moment moments couple number numbers amount amounts side sides turn turns self type types form forms bunch ton tons
    plenty pair pairs dozen dozens hundreds thousands piece pieces aspect aspects manner term terms sake shot mind day
    days today tomorrow yesterday tonight morning mornings afternoon evening evenings night nights noon midnight week
    weeks weekend weekends month months year years hour hours minute minutes second seconds decade decades century
    daytime weekday weekdays lately recently nowadays while whiles ago past future present now then later soon monday
    tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays
    january february march april may june july august september october november december mon tue tues wed thu thur
    thurs fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec percent percentage cent cents dollar dollars
    pound pounds euro euros mile miles metre metres meter meters km kg lb lbs oz ml cm mm am pm how-to should-do e.g.
    i.e. etc. focuse meantime letdown ol em 'em nice-to-do nice-to-have someday sometime eachother heap heaps oomph
    advance behalf bout 'bout lack must-have must-see must-do must-try bucks zero set someplace somebody's anytime oof
    skillz badass besties kiddo kiddos hun hon babe luv dear dears sweetie buddy pal bud guy guys folk folks people
    person persons man men woman women anybody everybody help use sense deal luck fun care need needs want wants hope
    wish guess thought thoughts feeling feelings question questions answer answers note notes look looks feel try
    chance chances difference effort top bottom middle left right front back half quarter third first last next whole
    total average max min game-changer changer must no-brainer win-win 东西 事 事情 事儿 时候 地方 情况 方面 样子 人
    人们 感觉 时间 时 问题 办法 方法 方式 部分 结果 原因 意思 点 种 些 个 样 的话 话 有点 时刻 内容 方向 程度 过程 关系
    事项 目前 现在 头 边 面 次 想法 看法 到时候 元 块 块钱 小时 分钟 钟头 天 年 月 日 周 号 秒 今天 明天 后天 昨天 前天
    今晚 昨晚 明晚 今早 明早 今年 明年 去年 前年 上午 下午 中午 晚上 早上 早晨 清晨 凌晨 傍晚 半夜 夜里 上周 下周 本周
    这周 周末 月底 月初 年底 年初 平时 最近 以前 以后 之前 之后 后来 当时 刚才 刚刚 将来 未来 过去 从前 小时候 那时候
    这时候 有时候 时光 瞬间 期间 阶段 一天 每天 有时 每次 上次 下次 这次 那次 第一 第二 第一次 下课后 放学后 上课时
    一段时间 段时间 机会 可能 必要 好处 坏处 特点 样式 地步 份上 道理 缘故 角度 里面 外面 上面 下面 前面 后面 旁边 附近
    中间 左边 右边 里边 外边 对面 周围 身边 面前 眼前 心里 心中 家里 手里 手上 脑子里 其中 当中 之间 名字 号码 数量
    种类 类型 类别 整体 全部 所有 一切 每个人 所有人 其他 其它 别的 那种 这种 各种 感受 心情 情绪 感情 表情 态度 样儿
    劲 事物 事实 实际 实际上 事实上 基本上 总体 大部分 大多数 少数 多数 一半 左右 上下 前后 主意 大事 好事 坏事 日子
    聚一聚 感兴趣 放学 上学 回家 出去玩 做好事 做作业 发消息 真棒 总能 问问 亮眼
    小巧 心爱 太小 大人 走神 讲故事 天黑 热天 生病 商量 结识 调整 陪伴 关心 联系 发光 领先 想象 复查 教导
    教学 赞美 报名 网上 路上 书上 班上 店里 水里 玩意儿 开花
    充分 解题 扫地 飞翔 唱歌 读书 写字 坦白
    问路 问候 用心 苦头 单调 燃 家用 花开 公平 木制
    玩球 种花 救人 打扫 道歉 聊天 吵架 生气 帮助 保护 鼓励 支持 表扬 批评 参加 参与 准备 努力 进步 失败 成功 开始
    结束 完成 发现 享受 分享 合作 选择 尝试 坚持 放弃 改变 提高 增加 减少 影响 理解 尊重 原谅 陪 意图 意愿 实物 体验
    评价 好心 伤感 宝贝 五彩
    """
)
# Verbs that are hardly ever things. Their forms in -s, -ed, -ing are found by rule.
_VERBS = """
    accept achieve acquire adapt add adjust admire admit adopt adore advise affect afford agree allow amaze announce
    annoy apologise apologize appear apply appreciate approach approve argue arise arrange arrive ask assess assign
    assist assume assure attach attain attend attract avoid bake balance be beat become befriend beg begin behave
    believe belong bend benefit blame bleed bless boil boost borrow bother bounce breathe brew bring browse build bully
    bump buy calculate calm cancel capture carry carve catch celebrate chase chat cheat cheer cherish choose clarify
    clean clear climb collaborate collapse collect combine come comfort commit communicate compare compete compile
    complain complete compose concentrate conduct confess confirm confuse congratulate connect consider consist
    consolidate consume contain continue contribute convert convince cooperate cope correct crash crave create
    criticise criticize cry customise customize debate decide declare decline decorate dedicate deepen define delay
    delegate delete deliver demonstrate deny depend deploy describe deserve destroy determine develop die differ dig
    disagree disappear disappoint discover discuss dislike distract disturb dive divide do donate download draw drive
    drown earn ease eat edit educate elaborate eliminate embarrass embrace emphasise emphasize employ empower enable
    encounter encourage end endure engage enhance enjoy enrich ensure enter entertain establish estimate evaluate
    evolve exceed excite exist expand expect explain explore expose express extend face facilitate fail fall feed feel
    fetch fill finalise finalize find finish fit fix flourish fly follow forbid forget forgive found foster frustrate
    fulfil fulfill gain gather generate get give go grab graduate grant greet grow guarantee handle hang happen harm
    hate have heal hear help hesitate hide highlight hire hit hold honor honour hurt identify ignore illustrate imagine
    impact implement imply impress improve incline include incorporate increase indicate influence inform initiate
    insert insist inspect inspire install integrate intend interact interfere interrupt introduce invent invest
    investigate invite involve join joke jot judge jump keep kick kill kiss kneel knit knock know laugh launch lead
    lean learn leave lend let leverage lie lift like list listen live locate lock log lose love maintain make manage
    mark marry master match mean measure meet mention merge mess minimise minimize miss mix modify monitor motivate
    move navigate need nominate notice notify nourish obey observe obtain occur offer open operate oppose optimise
    optimize order organise organize outline overcome overwhelm owe own pack participate pass pay perform permit
    persuade pick pinpoint plan play plead please pledge ponder possess postpone pour practise praise pray prefer
    prepare present preserve pretend prevent prioritise prioritize proceed process produce progress promise promote
    prompt propose protect prove provide publish pull punish purchase pursue push put quit raise reach react read
    realise realize reassure rebuild recall receive recognise recognize recommend reconnect recover reduce refer refine
    reflect refuse regain regret reinforce reject relate relax release relieve rely remain remember remind remove renew
    repair repeat replace reply report represent request require rescue reschedule research reserve resist resolve
    respect respond restart restore retain retire reunite reveal review revise rewrite ride ring rinse rise risk rock
    roll ruin run rush sacrifice satisfy save say scare schedule scold scream search secure see seek seem select sell
    send serve set settle shake share shift shine shoot should shout show shut sigh sign simplify sing sit skip slip
    slow smell smile snap soak socialise socialize solve sound speak specify spend spill split spoil spread squeeze
    stand stare start stay steal stick stop store strengthen stretch strike struggle stumble submit succeed suffer
    suggest suit summarise summarize support suppose surf surprise surround survive suspect swallow swear swim switch
    take talk tap taste teach tear tease tell tend test thank think thrive throw tie tolerate touch track train
    transfer transform translate travel treasure treat trigger trim trust try turn understand undertake unlock unwind
    update upgrade upload urge use utilise utilize validate value vanish verify view visit volunteer vote wait wake
    walk wander want warn wash watch wear weigh whisper win wipe wish wonder work worry wrap write yell abandon absorb
    accelerate accompany accomplish accumulate ache activate administer aggravate align allocate alter analyse analyze
    anticipate arouse articulate ascend assemble attempt await ban bargain bark betray bind blend blink blossom blur
    blush boast brag broaden bury cease certify chew circulate cite clap coincide collide commence compensate comply
    comprehend compromise conceal conceive conclude condemn confront conquer consent conserve constitute construct
    consult contemplate contradict convey correspond counteract crawl crush cultivate damage dare dazzle deceive defend
    defy delight denote depict deprive derive descend detect deteriorate devote diagnose dictate diminish disclose
    disconnect discourage disguise dismiss dispose dissolve distinguish distribute diversify dominate doubt drag drain
    drift duplicate dwell dye elevate embark emerge emit enclose endorse enforce enlighten enlist enrol enroll ensue
    enthuse envision erase erupt escalate evaporate exaggerate examine exchange execute exert exhale exhaust expire
    exploit fade fasten fear flip float flow fold forge formulate frown fuel fuse gaze giggle glance glow grasp grind
    grip groan guide halt harvest haul heighten hinder hug hum ignite immerse impose incur infer inflict inhale inherit
    inhibit innovate inquire instruct interpret intervene iterate jeopardise jeopardize juggle justify lament linger
    long manifest manipulate mature meditate mimic mislead mitigate mock multiply murmur mumble neglect negotiate nod
    nurture obsess omit ooze originate outgrow overhear overlook oversee overthink overturn perceive persevere persist
    pinch plunge portray predict preach presume prevail probe prohibit prolong pronounce propel quote radiate ramble
    reap reassess recharge reciprocate reckon recollect reconcile reconsider recreate rectify redeem redefine redesign
    regard regenerate register regulate rehearse reignite reimburse rejoice rekindle relive relocate reminisce render
    reopen reorganise reorganize resemble resent reset reside resonate resort resume retrieve retry revisit revolve
    savor savour scatter scramble scratch scrub seize separate shatter sharpen shove shrink signify simulate sip skim
    slap slide smash snatch sneak sneeze sniff snuggle soar soften soothe spark specialise specialize spin sprint stack
    stink stir streamline strive stroll subscribe substitute suck supervise suppress surpass surrender sustain sway
    sweat tackle tailor tailor-make tempt terrify threaten tickle tighten toss trace transcend transition transmit trap
    tremble tweak twist uncover undergo underestimate undermine underscore undo unfold unite unleash unpack unplug
    unveil uphold utter vary venture visualise visualize vomit vow wag weaken weep whip widen wiggle withdraw withstand
    worsen wrestle yawn yearn yield zoom nail ace nap jazz crochet perk bond stoke geek
    """
BARE_VERBS = _words(
    """
    adhere dispense subside lack learnt splurge see understand destress bounce jot congregate flex fascinate uplift
    brainstorm name share express grunt accept achieve acquire adapt add adjust admire admit adopt adore advise affect
    afford agree allow amaze announce annoy apologise apologize appear apply appreciate approve argue arise arrange
    arrive ask assess assign assist assume assure attach attain attend attract avoid be become befriend beg begin
    behave believe belong bend bless borrow bother breathe bring browse build buy calculate carry carve celebrate
    cherish choose clarify collaborate collapse collect combine come commit communicate compare compete compile
    complain compose concentrate confess confirm confuse congratulate connect consider consist consolidate consume
    contain continue contribute convert convince cooperate cope crave create criticise criticize customise customize
    decide declare decorate dedicate deepen define delete deliver demonstrate deny depend deploy describe deserve
    destroy determine develop die differ dig disagree disappear disappoint discover discuss distract disturb divide do
    donate draw drown earn eat edit educate elaborate eliminate embarrass embrace emphasise emphasize employ empower
    enable encourage endure engage enhance enjoy enrich ensure enter entertain establish evaluate evolve exceed excite
    exist expand expect explain explore expose extend facilitate fail fetch fill finalise finalize find fit flourish
    follow forbid forget forgive foster frustrate fulfil fulfill gather generate get give go grab graduate greet grow
    happen hate have heal hear hesitate hide hire hold identify ignore illustrate imagine implement imply impress
    improve incline include incorporate increase indicate inform initiate insert insist inspect inspire integrate
    intend interact interfere interrupt introduce invent invest investigate invite involve join keep kneel knit know
    laugh lean learn leave lend let leverage like listen live locate lose love maintain make marry mean meet mention
    merge minimise minimize miss modify motivate navigate nominate notify nourish obey observe obtain occur operate
    oppose optimise optimize organise organize overcome overwhelm owe own participate perform persuade pick pinpoint
    plead please ponder possess postpone pour practise pray prefer prepare preserve pretend prevent prioritise
    prioritize proceed produce promote propose protect prove provide publish pull punish pursue push put quit raise
    reach react read realise realize reassure rebuild receive recognise recognize recommend reconnect recover reduce
    refer refine reflect refuse regain reinforce reject relate relax relieve rely remain remember remind remove renew
    repeat replace represent require reschedule resist resolve respond restart restore retain retire reunite reveal
    revise rewrite rinse rise ruin satisfy save say scare scold seek seem select sell send serve settle shake shine
    should shout shut simplify sing sit skip soak socialise socialize solve speak specify spend spill spoil squeeze
    steal stick stop strengthen stumble submit succeed suffer suggest summarise summarize suppose surround survive
    swallow swear take teach tell tend thank think thrive throw tolerate transform translate undertake unlock unwind
    upload urge utilise utilize validate vanish verify wake want wander warn wear weigh whisper wipe wonder worry write
    yell abandon absorb accelerate accompany accomplish accumulate activate administer aggravate align allocate alter
    analyse analyze anticipate arouse articulate ascend assemble await betray bind blur blush boast brag broaden bury
    cease certify circulate coincide collide commence compensate comply comprehend conceal conceive conclude condemn
    confront conquer conserve constitute construct consult contemplate contradict convey correspond counteract crawl
    cultivate dazzle deceive defend defy denote depict deprive derive descend detect deteriorate devote diagnose
    dictate diminish disclose disconnect discourage disguise dismiss dispose dissolve distinguish distribute diversify
    dominate drag duplicate dwell elevate embark emerge emit enclose encounter endorse enforce enlighten enlist enrol
    enroll ensue envision erase erupt escalate evaporate exaggerate examine execute exert exhale expire exploit fade
    fasten flip forge formulate fuse giggle glance grasp hinder hum ignite immerse impose incur infer inflict inhale
    inherit inhibit innovate inquire instruct interpret intervene iterate jeopardise jeopardize justify lament linger
    manifest manipulate meditate mimic mislead mitigate multiply murmur mumble neglect negotiate nod nurture obsess
    omit ooze originate outgrow overhear overlook oversee overthink overturn perceive persevere persist portray predict
    preach presume prevail prohibit prolong pronounce propel radiate ramble reap reassess recharge reciprocate reckon
    recollect reconcile reconsider recreate rectify redeem redefine regard regenerate regulate rehearse reignite
    reimburse rejoice rekindle relive relocate reminisce render reopen reorganise reorganize resemble resent reside
    resonate resume retrieve retry revisit revolve savor scatter seize shatter sharpen shove shrink signify simulate
    sneak soar soften soothe specialise specialize stink stir streamline strive subscribe suck supervise suppress
    surpass sustain sway tackle tempt terrify threaten tickle tighten toss transcend transmit tremble tweak uncover
    undergo underestimate undermine underscore undo unfold unite unleash unpack unplug unveil uphold utter vary
    visualise visualize vow weaken weep widen wiggle withdraw withstand worsen yearn zoom
    """
)
_IRREGULAR = _words(
    """
    went gone came become became began begun believed bought brought built caught chose chosen did done drew drawn
    drank drunk drove driven ate eaten fell fallen felt found flew flown forgot forgotten forgave gave given got gotten
    grew grown had heard held hid hidden kept knew known laid led left lent lost made meant met paid ran rang read rode
    said sang sat saw seen sent shook shone shot showed shown slept sold spent spoke spoken stole stolen stood struck
    stuck swam swept swore taken taught thought threw thrown told took tore torn understood woke won wore worn wrote
    written is am are was were been being has having does doing can could will would shall may might must ought coming
    going getting making taking giving seeing looking trying thinking saying telling talking wanting needing hoping
    feeling letting keeping putting bringing holding finding losing leaving starting stopping waiting turning seeming
    knowing meaning asking using working living staying staring playing moving
    """
)
ADJECTIVES = _words(
    """
    able absent absolute absurd abundant academic acceptable accessible accurate active actual adaptable additional
    adequate adorable advanced adventurous affectionate affordable afraid aged agile aggressive alert alike alive alone
    amazed amazing amused amusing ancient angry annoyed annoying anxious apparent appropriate approximate artistic
    ashamed asleep astonishing athletic attentive attractive authentic automatic available average awake aware awesome
    awful awkward bad balanced bare basic beautiful beloved beneficial best better bewildered big bitter bizarre bland
    blank blessed blind blissful bold bored boring bossy bouncy brave brief bright brilliant broad broken bubbly bulky
    bumpy busy calm capable careful careless caring casual cautious central certain challenging charming chaotic cheap
    cheeky cheerful cheesy chilly chubby classy clean clear clever clingy close closed cloudy clumsy coarse cold
    colorful colourful comfortable comforting comfy common compact compassionate competitive complete complex
    complicated comprehensive concerned concise confident confused confusing conscious consistent constant constructive
    contagious continuous convenient cool correct costly courageous cozy cosy crazy creamy creative creepy crispy
    critical crowded crucial cruel crunchy curious current curly cute daily damp dangerous daring dark dead deaf dear
    decent dedicated deep defensive definite delicate delicious delighted delightful dense dependable depressed
    depressing desperate detailed determined devastated devoted different difficult digital diligent direct dirty
    disappointed disappointing disciplined discouraged disgusting distant distinct disturbing diverse dizzy doubtful
    downright dramatic dreadful dreamy drunk dry due dull durable dusty dynamic eager early earnest eastern easy easier
    easiest easygoing eco-friendly edible effective efficient effortless elderly elegant embarrassed embarrassing
    emotional empty enchanting encouraged encouraging endless energetic engaging enjoyable enormous enough entire
    envious equal essential eternal ethical even eventual everyday evident evil exact excellent exceptional excessive
    excited exciting exclusive exhausted exhausting exotic expensive experienced explicit external extra extraordinary
    extreme fabulous faint fair faithful fake familiar famous fancy fantastic far fascinated fascinating fast fat
    favorable favorite favorites favourite favourites fearless feasible fellow fiery final fine firm fit flashy flat
    flawless flexible fluffy fluid fond foolish foolproof foreign formal former fortunate forward fragile free freaky
    frequent fresh friendly frightened frightening frustrated frustrating fulfilled fulfilling full fun funky funny
    further furious fuzzy general generous gentle genuine gifted glad glamorous global gloomy glorious golden good
    gorgeous graceful gracious gradual grand grateful gray greasy great green grey grim gross grumpy guilty gutted
    handmade handsome handy happier happiest happy hard hard-working hardworking harmful harsh healthier healthy
    heartbreaking heartfelt heartwarming hearty heavenly heavy hectic helpful helpless hesitant hidden high high-end
    hilarious historic historical hollow holy homemade honest honored honoured hopeful hopeless horrible hot huge
    humble humid hungry hurtful hyped ideal identical idle ignorant ill illegal imaginary immediate immense immersive
    impatient imperfect important impossible impressed impressive inclusive incomplete incredible incredibly
    independent inevitable inexpensive influential informal initial inner innocent innovative insane insecure
    insightful inspirational inspired inspiring instant intellectual intelligent intense interactive interested
    interesting intermediate internal international intimate intricate intriguing invaluable invisible inviting ironic
    irregular jealous jolly joyful juicy keen kind kindhearted large lasting late latest latter lazy legal legitimate
    lengthy lifelong lightweight likely limited literal little lively local logical lonely long long-term longtime
    loose loud lovable lovely loving low low-key loyal lucky luxurious mad magical magnificent main majestic major
    mandatory manageable massive mature maximum meaningful meaningless medium mellow melancholy memorable mental mere
    messy mighty mild mindful mini minimal minimum minor miserable misty mixed modern modest moist monthly moody moral
    motivated motivating motivational moving multiple mundane muscular mutual mysterious mystical naive narrow nasty
    national natural naughty neat necessary negative nerdy nervous neutral new next nice noble noisy nonstop normal
    northern nostalgic notable noticeable numerous nutritious obsessed obvious occasional odd off-limits official ok
    old on-the-go one-on-one ongoing online only open optimistic optional ordinary organic organised organized original
    outdoor outdoorsy outer outgoing outstanding overall overdue overjoyed overwhelmed overwhelming own painful pale
    partial particular passionate passive past peaceful peculiar perfect permanent perpetual persistent personal
    pessimistic petty phenomenal physical picky pink plain playful pleasant pleased pleasing plump polite poor popular
    portable positive possible posted potential powerful practical precious precise predictable preferable pregnant
    preliminary premium prepared present prestigious pretty previous priceless primary prior private proactive
    productive profound prominent promising prompt proper proud provisional psyched public pumped puny pure purple
    puzzled quaint qualified quick quiet quirky random rapid rare raw ready real realistic reasonable recent red
    refreshed refreshing regular regulatory related relaxed relaxing relevant reliable relieved reluctant remarkable
    remote repetitive resilient resourceful respectful responsible restless rewarding rich ridiculous right rigid risky
    romantic rough round rude rustic sacred sad safe salty same sane sassy satisfied satisfying savory savoury scared
    scary scenic scientific seasonal secondary secret secure selfish self-sufficient sensational sensible sensitive
    sentimental separate serene serious severe sexy shaky shallow sharp sheer shiny shocked shocking short shy sick
    significant silent silly similar simple sincere single skeptical skilled skinny sleek sleepy slight slim slimy
    slippery slow sluggish small smart smooth snazzy sneaky snowy snug sociable social soft solar solid soothing
    sophisticated sore sour southern spacious sparkling sparkly special specific spectacular spicy spiritual splendid
    spontaneous spooky sporty stable stale standalone static steady steep sticky stiff still stoked straight
    straightforward strange strategic stressed stressful strict striking strong structural structured stubborn stunned
    stunning stupid sturdy stylish subsequent substantial subtle successful sudden sufficient suitable sunny super
    superb superior supportive supreme sure surprised surprising surreal suspicious sustainable swamped sweet swift
    symbolic sympathetic tacky talented tall tangible tasty technical tedious temporary tempting tender tense terrible
    terrific terrified terrifying thankful thick thin thirsty thorough thoughtful thoughtless thrilled thrilling tidy
    tight timeless tiny tired tiring top-notch touching tough touristy toxic traditional tragic tranquil transformative
    transparent treasured tremendous tricky trivial tropical true trusting trustworthy typical ugly ultimate unable
    unbelievable uncomfortable uncommon underrated understandable unexpected unfair unfamiliar unforgettable
    unfortunate unhappy unhealthy uninterrupted unique universal unknown unlikely unlimited unnecessary unpleasant
    unpredictable unprepared unreal unreliable unstoppable unusual upbeat upcoming uplifting upper upset urban urgent
    useful useless usual vague vain valid valuable various vast verbal vibrant vicious vigorous virtual visible visual
    vital vivid vocal voluntary vulnerable warm wary wasteful watery wavy weak wealthy weary weekly weird welcoming
    well-known western wet whimsical whole wholesome wicked wide widespread wild willing windy wise witty wobbly
    wonderful wooden worldwide worn worried worrying worse worst worth worthless worthwhile worthy wrong yearly yellow
    young younger youngest youthful yucky zany zealous black blue brown white proprietary dietary solitary monetary
    momentary accidental acoustic adjacent agreeable airy allergic ambient ambitious ample anonymous appealing
    applicable apprehensive approachable ardent arrogant articulate artsy attainable badass barefoot bearable bilingual
    bittersweet bogus brand-new breathtaking brisk brutal budget-friendly candid captivating carefree celebratory
    cerebral chill chronic civil clueless coastal cohesive coherent collective commercial comparable compelling
    competent complimentary compulsory conceptual concrete conditional consecutive considerate contemporary
    controversial conventional cordial corporate countless cultural cumulative customary dainty dazzling deadly
    decisive dependent desirable destined diagnostic discreet discretionary disorganised disorganized distinctive
    domestic dormant down dreary earthy eccentric eclectic ecological economic educational elaborate eligible elite
    elusive empathetic enthusiastic entrepreneurial environmental epic erratic exhilarating existing experimental
    exquisite extensive eye-catching fancy-free far-off farfetched fashionable feminine fertile festive fierce
    financial flaky foggy folksy forgetful forgetting foul fruitful functional fundamental futuristic genetic giddy
    gluten-free granular gritty grueling gruelling hands-on hazardous hazy hefty heroic high-quality homesick honorary
    hormonal horrific hostile humorous hybrid iconic idealistic illogical imaginative imminent impartial implicit
    impractical impulsive inaccurate inadequate inappropriate inconvenient indifferent indoor industrial infectious
    infinite inherent insufficient intact intentional intermittent intrepid introspective introverted irrelevant
    irresistible irritable joint judgmental last-minute laid-back legendary legible lifelike linear liquid livid lush
    macro magnetic mainstream malicious marine marvelous marvellous masculine mean mechanical medieval mediocre
    merciful methodical meticulous micro military mindless miraculous mobile moderate momentous monotonous muddy
    multi-step municipal mushy nearby needy non-negotiable nosy nutty obedient objective obscure oily operational
    optimal oval overcast overnight overseas oversized painless panoramic parallel perceptive periodic permissible
    perplexed persuasive pesky pivotal plausible poetic pointless poised political post potent powerless prehistoric
    prevalent pricey princely proficient profitable prone pronounced prosperous provocative psychological punctual
    pushy quantitative qualitative radiant radical ragged rational rebellious receptive reckless redundant reflective
    regional regretful religious renowned respective responsive retro reusable revolutionary rhythmic ritualistic
    robust rocky ruthless sacrificial scarce scattered scholarly seamless secluded self-aware self-conscious self-made
    selfless semi-annual sensory sequential shabby shady shameful short-term showy shrill sizable skillful sleepless
    sloppy slow-paced snappy sober soggy sole soulful sound sparse speechless speedy spiky spotless squeaky stagnant
    stark starving state-of-the-art stern stimulating stormy strenuous strung submissive subjective suburban succinct
    superficial supplementary surplus susceptible swanky symmetrical synthetic systematic tame tangy tardy tech-savvy
    teen teenage tentative therapeutic time-consuming timid tolerant torrential total touchy transferable trendy
    troubled turbulent two-way unanimous unaware unbearable uncertain unclear unconditional unconventional underlying
    uneasy unemployed uneven unified uniform unimportant unintentional unlucky unmatched unpaid unparalleled unresolved
    unsafe unsettling unsuccessful unsure untouched unwell up-to-date user-friendly utter vacant vegan vegetarian
    velvety verbose versatile vertical viable vintage virtuous volatile wacky warm-hearted watchful waterproof
    well-being well-rounded winding wiry wishful woeful world-class wounded wrinkly zesty nicer bigger biggest smaller
    smallest larger largest higher highest lower lowest longer longest shorter stronger strongest closer closest faster
    harder hardest older oldest cooler coolest brighter deeper greater greatest newer newest later simpler smarter
    sooner warmer wiser 高兴 开心 快乐 难过 伤心 失望 兴奋 紧张 害怕 生气 气愤 愤怒 焦虑 尴尬 委屈 孤单 孤独 寂寞 沮丧
    激动 感动 惊讶 惊喜 满足 满意 幸福 自豪 骄傲 羡慕 嫉妒 后悔 内疚 无聊 无奈 烦恼 烦躁 疲惫 疲倦 累 舒服 难受 放松
    轻松 自在 自由 温暖 温馨 温柔 善良 可爱 漂亮 美丽 美好 好看 好玩 好吃 好听 有趣 有意思 无趣 精彩 精美 精致 优秀
    出色 厉害 聪明 勇敢 坚强 努力 认真 仔细 小心 耐心 细心 热情 热闹 安静 宁静 平静 神秘 神奇 奇怪 奇妙 特别 特殊 独特
    普通 平凡 简单 复杂 困难 容易 方便 重要 严重 危险 安全 健康 干净 整洁 凉快 暖和 炎热 寒冷 新鲜 美味 可口 香甜 明亮
    闪亮 闪闪 柔软 活泼 调皮 淘气 懒 勤奋 刺激 惊险 浪漫 真实 真诚 真心 坦诚 友好 亲切 亲密 紧密 陌生 熟悉 年轻 老 新
    旧 大 小 高 低 多 少 快 慢 早 晚 长 短 红 白 黑 蓝 绿 黄 紫 红色 白色 黑色 蓝色 绿色 黄色 紫色 粉色 粉红色 橙色
    灰色 棕色 金色 银色 彩色 五颜六色 五彩缤纷 色彩缤纷 多彩 翠绿 金黄 圆润 毛茸茸 心形 圆形 方形 椭圆形 限量版 无比
    极度 充实 失落 遗憾 可惜 费解 强大 强壮 巨大 大型 小型 迷人 吸引人 疼 痛 疼痛 酸 甜 苦 辣 咸 香 酷 炫 帅 棒
    """
)
_DOUBLING = frozenset("bdgmnprt")


def _forms(verb: str) -> tuple[str, ...]:
    if verb.endswith("e"):
        return (f"{verb}s", f"{verb}d")
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return (f"{verb[:-1]}ies", f"{verb[:-1]}ied")
    end = "es" if verb.endswith(("s", "x", "z", "ch", "sh")) else "s"
    twice = verb + verb[-1] if verb[-1] in _DOUBLING else verb
    return (f"{verb}{end}", f"{verb}ed", f"{twice}ed")


_BARE_FORMS = frozenset(form for verb in BARE_VERBS if verb.isascii() for form in _forms(verb))
_PAST_FORMS = frozenset(form for verb in _VERBS.split() for form in _forms(verb) if form.endswith("d"))
# As often things as verbs, in this form: means, lives, loves …
_THINGS = _words(
    "adds finds fits draws likes loves lives saves sits stays sticks talks wears reads raises pulls picks wonders "
    "worries hides holds joins stops rises promotes mentions shakes pushes hires trusts updates"
) - {"means", "finds", "likes", "loves", "holds", "sits", "adds", "lives"}
VERBS = (
    (BARE_VERBS | _IRREGULAR | _BARE_FORMS | _PAST_FORMS)
    - _THINGS
    - _words("seed bed shed feed breed speed need weed ned fred")
)
ADVERBS = _words(
    """
    beforehand about above across actually amid amidst among against afterward afterwards again ahead almost along
    already also although altogether always and any apart around as aside at away back backwards because before behind
    below besides between beyond but by despite down downstairs during either else elsewhere ever except far farther
    finally for forever from furthermore hence however if in indeed indoors inside instead into just least less like
    maybe meanwhile moreover near nearby neither never nevertheless next nor not of off often on once online only onto
    onward or otherwise out outdoors outside over overall overnight past perhaps plus quite rather seldom since so
    sometimes somehow somewhat somewhere soon still than that the though through throughout thus to together too toward
    towards twice under unless until up upon upstairs upwards usually very via well whatever whenever whereas wherever
    whether whichever while whoever with within without yet abroad downtown tbd tba n/a a an my no
    """
)
NAMELESS = SPEAKERS | OTHERS | SPOKEN | VAGUE | VERBS | ADJECTIVES | ADVERBS

# Names that are also words: with a capital letter they name a person.
GIVEN = _words(
    "will mark grace joy hope faith rich frank ernest sunny max bill jack drew pat sue chase summer autumn dawn "
    "april may june august rose lily daisy violet ivy olive ruby pearl amber jade hazel iris melody harmony destiny "
    "chance gene art rob bob nick ray gus dean grant wade miles cliff heath glen brook sandy misty crystal angel "
    "heaven star sky robin jay reed ward carter hunter mason taylor tyler cooper parker porter wally dusty rusty "
    "happy lucky felicity charity patience prudence serena chuck doug guy lance mike norm peg penny sage skip stew "
    "trip van vic wolf young white black brown green gray grey king bishop cook baker smith long short wise sharp "
    "moody goodman kitty honey ginger pepper tilly"
)
