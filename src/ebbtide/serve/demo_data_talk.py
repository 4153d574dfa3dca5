"""Half a year of talk with one person, a baker who opens a second shop. The person and the places are made up.

Each line is one evening: what was said, and what was answered. English and Chinese go back and forth, as they do.
"""

EVENINGS: tuple[tuple[str, str], ...] = (
    (
        "I want to open a second bakery near the harbour in Lindau. My sister Nora will run the first shop.",
        "A second shop at the harbour, and Nora stays at the first one. Noted.",
    ),
    (
        "The landlord is called Mr Brandt. He asks for 1,900 euros a month and a deposit of three months.",
        "So the deposit for Mr Brandt would be 5,700 euros.",
    ),
    (
        "我妈妈想让我把老家的烧饼也放进菜单。她说配方在外婆的蓝色笔记本里。",
        "外婆的蓝色笔记本里有烧饼的配方，我记住了。",
    ),
    (
        "The oven I want is a Miwe, second hand, from a hotel in Bregenz. They want 6,200 for it.",
        "A used Miwe oven from Bregenz for 6,200 euros.",
    ),
    (
        "Nora is allergic to hazelnuts, so the nut rolls must never be baked in her shop.",
        "No hazelnuts in Nora's shop. That is important, I keep it.",
    ),
    ("烧饼试做了三次，第三次用了老面，终于有外婆的味道了。", "第三次用老面成功了，恭喜。"),
    ("Mr Brandt agreed to 1,800 a month if I sign for five years.", "1,800 euros for five years with Mr Brandt."),
    (
        "The bank in Lindau needs a business plan until the 14th of July.",
        "The business plan is due at the bank on 14 July.",
    ),
    ("我把商业计划写好了，请林会计帮我看了一遍，她改了两个数字。", "林会计改了两个数字，计划可以交了。"),
    ("The bank said yes: 40,000 euros at 4.1 percent.", "A loan of 40,000 euros at 4.1 percent. Well done."),
    (
        "The oven from Bregenz arrived, but it does not fit through the door of the harbour shop.",
        "The oven is wider than the door, then. A window may be wider.",
    ),
    (
        "They lifted the oven through the window with a crane. Half the street watched.",
        "The oven is in, by crane and window.",
    ),
    ("我在招一个早班的师傅，要求会做酸面团，凌晨三点上班。", "早班师傅，凌晨三点，会酸面团。"),
    (
        "A young man called Jonas came for a trial shift. His sourdough was better than mine.",
        "Jonas passed his trial with better sourdough than yours.",
    ),
    (
        "Jonas starts on the first of September. He does not want to work on Mondays.",
        "Jonas starts on 1 September and has Mondays off.",
    ),
    ("妈妈寄来了蓝色笔记本，里面还有月饼的配方，字很难认。", "笔记本到了，里面还有月饼的配方。"),
    (
        "The health office comes on the 20th. They want to see the hazelnut rules in writing.",
        "The health office wants the hazelnut rules written down by the 20th.",
    ),
    (
        "The health office was content. They only asked for a second sink.",
        "One more sink, and the health office is content.",
    ),
    ("The plumber is called Ferdi and always comes a day late.", "Ferdi the plumber: a day late, always."),
    ("中秋节我们卖了两百个月饼，全是照着外婆的笔记本做的。", "两百个月饼，外婆会很高兴。"),
    (
        "We open the harbour shop on the 3rd of October. Nora bakes the pretzels for it.",
        "Opening on 3 October, pretzels by Nora.",
    ),
    (
        "On opening day we were sold out at eleven. The sesame flatbread went first.",
        "Sold out at eleven, and the flatbread went first.",
    ),
    ("港口店的烧饼每天要做三百个才够卖，面粉用得特别快。", "每天三百个烧饼，面粉要多备。"),
    ("The mill in Tettnang can deliver twice a week, spelt included.", "The mill in Tettnang delivers twice a week."),
    (
        "Jonas wants to try a rye bread with walnuts. I said walnuts are fine, hazelnuts are not.",
        "Rye with walnuts is fine; hazelnuts stay out.",
    ),
    (
        "A hotel asked for 80 rolls every morning at six. That is a lot for one oven.",
        "Eighty rolls at six for the hotel, with one oven.",
    ),
    ("酒店的小面包我们接了，周一由我自己来烤，因为约纳斯周一休息。", "周一你烤酒店的小面包，约纳斯休息。"),
    (
        "Nora thinks we should close both shops in the week after New Year.",
        "Nora wants a week off after New Year for both shops.",
    ),
    (
        "The electricity bill doubled since the Miwe runs at night. I asked for the night rate.",
        "You asked for the night rate because of the Miwe.",
    ),
    ("林会计说今年可以把烤箱的钱分五年折旧。", "烤箱分五年折旧，林会计说的。"),
    ("The night rate was granted: 22 cents from ten to six.", "22 cents from ten to six."),
    (
        "Somebody wrote in the paper that our flatbread is the best thing at the harbour.",
        "The paper likes the flatbread. Keep the cutting.",
    ),
    ("妈妈下个月来林道住两个星期，她想在店里教大家做烧饼。", "妈妈下个月来，住两个星期，教大家做烧饼。"),
    (
        "Mr Brandt wants to paint the front of the house green. I would rather keep it white.",
        "Mr Brandt wants green, you want white.",
    ),
    ("We agreed on a pale grey with Mr Brandt, and he pays the painter.", "Pale grey, and Mr Brandt pays."),
    ("Jonas asked for a day off on the 28th for his sister's wedding.", "Jonas is off on the 28th."),
)
