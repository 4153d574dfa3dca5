"""Questions, and the days that they name. SPEC K3.

All questions of the tables are asked on Thursday 15 June 2023 at noon. Their weeks: Monday 12 June begins this week,
5 June the last one, 29 May the one before. Expected are calendar days, both included, with their tolerance:

    a day, a weekend, a part of a month    1 day before, 4 days after:  7 May is 05-06..05-11
    a week                                 1 day before, 3 days after:  last week is 06-04..06-14
    a month, a season, a year              1 day before, 7 days after:  May is 04-30..06-07
    yesterday, N days ago                  1 day before, 1 day after:   yesterday is 06-13..06-15
    N weeks, months, years ago             3, 12, 146 days on both sides
"""

ENGLISH = [
    # dates
    ("What did Gina find for her clothing store on 1 February, 2023?", "2023-01-31..2023-02-05"),
    ("Who did Maria have dinner with on May 3, 2023?", "2023-05-02..2023-05-07"),
    ("What happened on 7 May 2023?", "2023-05-06..2023-05-11"),
    ("What happened on the 7th of May 2023?", "2023-05-06..2023-05-11"),
    ("What did I tell you on May 7th?", "2023-05-06..2023-05-11"),
    ("What did I tell you on the seventh of May?", "2023-05-06..2023-05-11"),
    ("Who called me on May twenty-first?", "2023-05-20..2023-05-25"),
    ("what did we decide on may 7, 2023", "2023-05-06..2023-05-11"),
    ("Which bug did I report on 2023-05-07?", "2023-05-06..2023-05-11"),
    ("Which bug did I report on 2023/5/7?", "2023-05-06..2023-05-11"),
    ("What is in my diary of 2023.05.07?", "2023-05-06..2023-05-11"),
    ("How was the weather on 5/7/2023?", "2023-05-06..2023-05-11"),  # the month first
    ("How was the weather on 05-07-2023?", "2023-05-06..2023-05-11"),
    ("How was the weather on 7.5.2023?", "2023-05-06..2023-05-11"),  # the day first, as with dots everywhere
    ("Where were we on Tuesday 6/6?", "2023-06-05..2023-06-10"),
    ("How was the weather on 25/5/2023?", "2023-05-24..2023-05-29"),  # there is no month 25
    ("What did I catch on the 5/22 trip?", "2023-05-21..2023-05-26"),
    ("What did Jon say on Oct 13, 2022?", "2022-10-12..2022-10-17"),
    ("What did Jon say on 13 Oct. 2022?", "2022-10-12..2022-10-17"),
    ("What did Jon say on Sept 3?", "2022-09-02..2022-09-07"),  # 3 September 2023 is still to come
    ("Where was I on 29 February?", "2020-02-28..2020-03-04"),  # of the last leap year
    ("Who came to dinner on Wednesday, 7 June 2023?", "2023-06-06..2023-06-11"),
    ("What did I buy on the 5th?", "2023-06-04..2023-06-09"),
    ("What did I buy on the evening of the 3rd?", "2023-06-02..2023-06-07"),
    ("What did I buy on the 20th?", "2023-05-19..2023-05-24"),  # 20 June is still to come
    ("Where did we eat on the 3rd of last month?", "2023-05-02..2023-05-07"),
    ("Where did we eat on the 3rd of this month?", "2023-06-02..2023-06-07"),
    # months
    ("What setback did Melanie face in October 2022?", "2022-09-30..2022-11-07"),
    ("When did Melanie go camping in June?", "2023-05-31..2023-07-07"),
    ("When did Melanie go camping in July?", "2022-06-30..2022-08-07"),
    ("What did I read in May?", "2023-04-30..2023-06-07"),
    ("what did i read in march", "2023-02-28..2023-04-07"),
    ("What did Mel paint in their latest project in July 2022?", "2022-06-30..2022-08-07"),
    ("Which race did I run last May?", "2023-04-30..2023-06-07"),
    ("Which race did I run last July?", "2022-06-30..2022-08-07"),
    ("Which race did I run in May last year?", "2022-04-30..2022-06-07"),
    ("Which race did I run in May of last year?", "2022-04-30..2022-06-07"),
    ("Which race did I run this March?", "2023-02-28..2023-04-07"),
    ("What was my weight in 2023-05?", "2023-04-30..2023-06-07"),
    ("What was on the December report?", "2022-11-30..2023-01-07"),
    ("What did I plant in early May?", "2023-04-30..2023-05-14"),  # 1 to 10 May
    ("What did I plant in mid-May?", "2023-05-10..2023-05-24"),  # 11 to 20 May
    ("What did I plant at the end of May?", "2023-05-20..2023-06-04"),  # 21 to 31 May
    ("What did I plant in late April 2022?", "2022-04-20..2022-05-04"),
    ("What did I plant in the second half of April?", "2023-04-15..2023-05-04"),  # 16 to 30 April
    ("What did I learn in the first week of June?", "2023-05-31..2023-06-10"),  # 1 to 7 June, 3 days more
    ("What did I learn in the last week of May?", "2023-05-24..2023-06-03"),  # 25 to 31 May
    ("What did I pay at the beginning of last month?", "2023-04-30..2023-05-14"),
    ("What did I pay at the beginning of the month?", "2023-05-31..2023-06-14"),
    ("What did I pay at the end of the month?", "2023-05-20..2023-06-04"),  # that of June is still to come
    # years, quarters, seasons
    ("How many times has Melanie gone to the beach in 2022?", "2021-12-31..2023-01-07"),
    ("What did they see during their camping trip last year?", "2021-12-31..2023-01-07"),
    ("Which books have I finished this year?", "2022-12-31..2024-01-07"),
    ("Where did we live the year before last?", "2020-12-31..2022-01-07"),
    ("Where did I work in early 2022?", "2021-12-31..2022-04-07"),  # January to March
    ("Where did I work in late 2022?", "2022-09-30..2023-01-07"),  # October to December
    ("Where did I work in the first half of 2022?", "2021-12-31..2022-07-07"),
    ("What was the revenue in Q1 2023?", "2022-12-31..2023-04-07"),
    ("What was the revenue in the third quarter of last year?", "2022-06-30..2022-10-07"),
    ("What did I promise at the beginning of the year?", "2022-12-31..2023-04-07"),
    ("What did I promise at the end of last year?", "2022-09-30..2023-01-07"),
    ("Where did we go last summer?", "2022-05-31..2022-09-07"),  # June to August
    ("Where did we go in the summer of 2021?", "2021-05-31..2021-09-07"),
    ("Who did I meet last fall?", "2022-08-31..2022-12-07"),
    ("What did I knit all winter?", "2022-11-30..2023-03-07"),
    ("What did I knit last winter?", "2022-11-30..2023-03-07"),  # December to February
    ("Which seeds did I sow in spring?", "2023-02-28..2023-06-07"),
    ("Which seeds did I sow this spring?", "2023-02-28..2023-06-07"),
    ("Where did we go the summer before last?", "2021-05-31..2021-09-07"),
    ("Where did we go two summers ago?", "2021-05-31..2021-09-07"),
    ("How much did I earn last quarter?", "2022-12-31..2023-04-07"),
    ("When did I start my job, in 2019 or 2020?", "2018-12-31..2020-01-07 2019-12-31..2021-01-07"),
    # holidays
    ("What did I get for Christmas?", "2022-12-24..2022-12-29"),
    ("Who visited us on Christmas Eve 2021?", "2021-12-23..2021-12-28"),
    ("Where were we last New Year's Eve?", "2022-12-30..2023-01-04"),
    ("What did I wear on Halloween?", "2022-10-30..2022-11-04"),
    ("Where did he take me on Valentine's Day?", "2023-02-13..2023-02-18"),
    ("Who cooked at Thanksgiving?", "2022-11-23..2022-11-28"),  # Thursday 24 November 2022
    ("What did we do at Easter?", "2023-04-08..2023-04-13"),  # Sunday 9 April 2023
    ("What did I give her for Mother's Day?", "2023-05-13..2023-05-18"),  # Sunday 14 May 2023
    ("What did I buy on Cyber Monday?", "2022-11-27..2022-12-02"),  # 28 November 2022
    ("What did we do between Christmas and New Year's?", "2022-12-24..2023-01-05"),
    ("Where did we hike on Memorial Day?", "2023-05-28..2023-06-02"),  # Monday 29 May 2023
    ("Who came to our Chinese New Year dinner?", "2023-01-20..2023-02-01"),  # 21 to 28 January
    # relative days
    ("What did I eat yesterday?", "2023-06-13..2023-06-15"),
    ("What did I eat the day before yesterday?", "2023-06-12..2023-06-14"),
    ("What did I say about the boiler today?", "2023-06-14..2023-06-16"),
    ("What did I dream last night?", "2023-06-13..2023-06-15"),
    ("Who rang this morning?", "2023-06-14..2023-06-16"),
    ("What did Tom tell me the other day?", "2023-06-07..2023-06-15"),  # 7 to 1 days ago
    ("What did I eat three days ago?", "2023-06-11..2023-06-13"),
    ("What did I eat 10 days ago?", "2023-06-04..2023-06-06"),
    ("What did I order twenty-one days ago?", "2023-05-24..2023-05-26"),
    ("What did I order a few days ago?", "2023-06-09..2023-06-14"),  # 5 to 2 days ago
    ("Which number did I give you two hours ago?", "2023-06-14..2023-06-16"),
    # relative weeks, months, years
    ("What did we discuss last week?", "2023-06-04..2023-06-14"),
    ("What did we discuss the previous week?", "2023-06-04..2023-06-14"),
    ("What did we discuss this week?", "2023-06-11..2023-06-21"),
    ("What did we discuss the week before last?", "2023-05-28..2023-06-07"),
    ("I mentioned participating in a sports event two weeks ago. What was the event?", "2023-05-29..2023-06-04"),
    ("What did I cook a couple of weeks ago?", "2023-05-29..2023-06-04"),
    ("What did I cook a week ago?", "2023-06-05..2023-06-11"),
    ("What did I cook a fortnight ago?", "2023-05-29..2023-06-04"),
    ("What charity event did I participate in a month ago?", "2023-05-03..2023-05-27"),  # 15 May
    ("What did I cancel last month?", "2023-04-30..2023-06-07"),
    ("What did I cancel six months ago?", "2022-12-03..2022-12-27"),  # 15 December
    ("What did I weigh half a year ago?", "2022-12-03..2022-12-27"),
    ("Where did Caroline move from 4 years ago?", "2019-01-20..2019-11-08"),  # 15 June 2019
    ("What did I drive 2 yrs ago?", "2021-01-20..2021-11-08"),
    ("Where did I stand this time last year?", "2022-06-08..2022-06-22"),  # a week on both sides
    ("What did I do a year ago today?", "2022-06-14..2022-06-19"),
    ("What did you recommend last time?", "2023-05-31..2023-06-16"),  # the last 14 days
    ("What did Melanie paint recently?", "2023-05-15..2023-06-16"),  # the last 30 days
    ("How much did I spend on workshops in the last four months?", "2023-02-14..2023-06-16"),
    ("Where did I gain the most followers over the past month?", "2023-05-14..2023-06-16"),
    ("How many videos have I watched in the past few weeks?", "2023-05-17..2023-06-16"),  # four of them
    # weekdays and weekends
    ("I received a piece of jewelry last Saturday from whom?", "2023-06-09..2023-06-14"),
    ("Whom did I call last Monday?", "2023-06-04..2023-06-16"),  # said on a Thursday: 5 or 12 June
    ("What did I have for lunch on Monday?", "2023-06-11..2023-06-16"),
    ("What did I have for lunch on Friday?", "2023-06-08..2023-06-13"),
    ("Who came on Tuesday night?", "2023-06-12..2023-06-17"),
    ("Who came on Tuesday of last week?", "2023-06-05..2023-06-10"),
    ("Where did I go the Friday before last?", "2023-06-01..2023-06-06"),  # 2 June
    ("What did my boss tell me at Friday's meeting?", "2023-06-08..2023-06-13"),
    ("What did I eat two Fridays ago?", "2023-06-01..2023-06-06"),
    ("What game did I finally beat last weekend?", "2023-06-09..2023-06-15"),  # 10 and 11 June
    ("What did I do over the weekend?", "2023-06-09..2023-06-15"),
    # ranges
    ("What did I write between May and July 2022?", "2022-04-30..2022-08-07"),
    ("What did I write May–July 2022?", "2022-04-30..2022-08-07"),
    ("What happened from Monday till Wednesday?", "2023-06-11..2023-06-18"),
    ("What happened from Monday to Wednesday?", "2023-06-11..2023-06-18"),
    ("What did I write between November and January?", "2022-10-31..2023-02-07"),
    ("Where did I travel from 3 to 7 May?", "2023-05-02..2023-05-11"),
    ("Where did I travel from May 3 to May 7, 2022?", "2022-05-02..2022-05-11"),
    ("Where did I travel May 3-7?", "2023-05-02..2023-05-11"),
    ("Where did I live from 2019 to 2021?", "2018-12-31..2022-01-07"),
    ("What has happened since May?", "2023-04-30..2023-06-16"),
    ("What did John do the week before May 3, 2023 with his kids?", "2023-04-25..2023-05-06"),  # 26 April to 2 May
    ("Where was Tim in the week before 16 November 2022?", "2022-11-08..2022-11-19"),  # 9 to 15 November
    ("What did I see on the Sunday before May 25, 2023?", "2023-05-17..2023-05-28"),  # 18 to 24 May
    ("What did Maria join last weekend before April 10, 2023?", "2023-04-02..2023-04-13"),  # 3 to 9 April
    ("What did we talk about two days after Christmas?", "2022-12-25..2022-12-31"),  # 26 and 27 December
    # more than one
    ("Did I run more in April or in May?", "2023-03-31..2023-05-07 2023-04-30..2023-06-07"),
    ("Was I happier yesterday than last week?", "2023-06-13..2023-06-15 2023-06-04..2023-06-14"),
]

CHINESE = [
    # 日期
    ("2023年5月7日我去了哪里？", "2023-05-06..2023-05-11"),
    ("我2023年5月7号跟谁吃的饭？", "2023-05-06..2023-05-11"),
    ("二〇二三年五月七日发生了什么？", "2023-05-06..2023-05-11"),
    ("23年5月7日的会议谁参加了？", "2023-05-06..2023-05-11"),
    ("5月7号我买了什么？", "2023-05-06..2023-05-11"),
    ("我 2023 年 5 月 7 日买了什么？", "2023-05-06..2023-05-11"),
    ("五月七日我买了什么？", "2023-05-06..2023-05-11"),
    ("５月７日我买了什么？", "2023-05-06..2023-05-11"),
    ("2023-05-07那天我在做什么？", "2023-05-06..2023-05-11"),
    ("2023/5/7我在做什么？", "2023-05-06..2023-05-11"),
    ("十二月二十五号我们在哪儿？", "2022-12-24..2022-12-29"),
    ("8月20日我跟你说过什么？", "2022-08-19..2022-08-24"),
    ("去年5月7日我在哪里？", "2022-05-06..2022-05-11"),
    ("前年十月三号我们去了哪？", "2021-10-02..2021-10-07"),
    ("5号我去看了什么电影？", "2023-06-04..2023-06-09"),
    ("二十号我去看了什么电影？", "2023-05-19..2023-05-24"),
    ("上个月5号我跟谁见面了？", "2023-05-04..2023-05-09"),
    ("上个月的三号我跟谁见面了？", "2023-05-02..2023-05-07"),
    ("这个月3号交了多少房租？", "2023-06-02..2023-06-07"),
    # 月份
    ("2023年5月我读了哪些书？", "2023-04-30..2023-06-07"),
    ("二〇二三年五月我读了哪些书？", "2023-04-30..2023-06-07"),
    ("23年5月我读了哪些书？", "2023-04-30..2023-06-07"),
    ("五月份我读了哪些书？", "2023-04-30..2023-06-07"),
    ("7月的旅行去了哪些城市？", "2022-06-30..2022-08-07"),
    ("十一月我在忙什么？", "2022-10-31..2022-12-07"),
    ("去年五月我在做什么项目？", "2022-04-30..2022-06-07"),
    ("去年的五月我在做什么项目？", "2022-04-30..2022-06-07"),
    ("今年三月我体检结果怎么样？", "2023-02-28..2023-04-07"),
    ("前年8月我住在哪里？", "2021-07-31..2021-09-07"),
    ("上个月我花了多少钱？", "2023-04-30..2023-06-07"),
    ("上月的电费是多少？", "2023-04-30..2023-06-07"),
    ("上上个月我花了多少钱？", "2023-03-31..2023-05-07"),
    ("这个月我跑了几次步？", "2023-05-31..2023-07-07"),
    ("本月我的目标是什么？", "2023-05-31..2023-07-07"),
    ("五月初我种了什么花？", "2023-04-30..2023-05-14"),
    ("五月中旬我种了什么花？", "2023-05-10..2023-05-24"),
    ("5月下旬我种了什么花？", "2023-05-20..2023-06-04"),
    ("去年五月底我种了什么花？", "2022-05-20..2022-06-04"),
    ("六月第一周我学了什么？", "2023-05-31..2023-06-10"),
    ("五月最后一周我学了什么？", "2023-05-24..2023-06-03"),
    ("月初我定了什么计划？", "2023-05-31..2023-06-14"),
    ("月底我交了什么报告？", "2023-05-20..2023-06-04"),
    ("月中我交了什么报告？", "2023-06-10..2023-06-24"),
    ("上个月底我交了什么报告？", "2023-05-20..2023-06-04"),
    ("上个月中旬我交了什么报告？", "2023-05-10..2023-05-24"),
    # 年、季度、季节
    ("2022年我换过几次工作？", "2021-12-31..2023-01-07"),
    ("二〇二二年我换过几次工作？", "2021-12-31..2023-01-07"),
    ("去年我换过几次工作？", "2021-12-31..2023-01-07"),
    ("前年我在哪里工作？", "2020-12-31..2022-01-07"),
    ("大前年我在哪里工作？", "2019-12-31..2021-01-07"),
    ("今年我读完了哪些书？", "2022-12-31..2024-01-07"),
    ("年初我许下了什么愿望？", "2022-12-31..2023-04-07"),
    ("今年年初我许下了什么愿望？", "2022-12-31..2023-04-07"),
    ("年底我们开了什么会？", "2022-09-30..2023-01-07"),
    ("去年年底我们开了什么会？", "2022-09-30..2023-01-07"),
    ("22年底我们开了什么会？", "2022-09-30..2023-01-07"),
    ("98年夏天我们在哪里？", "1998-05-31..1998-09-07"),
    ("2022年底我们开了什么会？", "2022-09-30..2023-01-07"),
    ("去年下半年我在准备什么考试？", "2022-06-30..2023-01-07"),
    ("2023年第一季度的销售额是多少？", "2022-12-31..2023-04-07"),
    ("上个季度的销售额是多少？", "2022-12-31..2023-04-07"),
    ("这个季度的目标是什么？", "2023-03-31..2023-07-07"),
    ("去年夏天我们去了哪里玩？", "2022-05-31..2022-09-07"),
    ("前年冬天我学会了什么运动？", "2021-11-30..2022-03-07"),
    ("今年春天我种了什么？", "2023-02-28..2023-06-07"),
    ("秋天的时候我跟谁去爬山了？", "2022-08-31..2022-12-07"),
    ("两年前的夏天我们在哪儿？", "2021-05-31..2021-09-07"),
    ("去年的今天我在做什么？", "2022-06-14..2022-06-19"),
    ("一年前的今天我在做什么？", "2022-06-14..2022-06-19"),
    ("暑假我参加了什么夏令营？", "2022-06-30..2022-09-04"),  # 1 July to 31 August
    # 节日
    ("元旦那天我们吃了什么？", "2022-12-31..2023-01-05"),
    ("国庆我们去哪儿玩了？", "2022-09-30..2022-10-11"),  # 1 to 7 October
    ("去年十一我们去哪儿玩了？", "2022-09-30..2022-10-11"),
    ("去年国庆前夕我在忙什么？", "2022-09-30..2022-10-11"),
    ("五一假期我去了哪里？", "2023-04-30..2023-05-09"),  # 1 to 5 May
    ("去年中秋节我和谁一起过的？", "2022-09-09..2022-09-14"),  # 10 September 2022
    ("端午节我包了什么馅的粽子？", "2022-06-02..2022-06-07"),  # 3 June 2022; that of 2023 is on 22 June
    ("今年春节我回老家了吗？", "2023-01-20..2023-02-01"),
    ("清明节我去给谁扫墓了？", "2023-04-03..2023-04-09"),  # 4 and 5 April
    ("去年双十一我买了什么？", "2022-11-10..2022-11-15"),
    ("2021年圣诞节我收到了什么礼物？", "2021-12-24..2021-12-29"),
    ("除夕夜我们看了什么？", "2023-01-20..2023-01-25"),
    ("母亲节我送了妈妈什么？", "2023-05-13..2023-05-18"),
    # 天
    ("今天早上我说了什么？", "2023-06-14..2023-06-16"),
    ("昨天晚上我吃了什么？", "2023-06-13..2023-06-15"),
    ("昨晚我梦见了什么？", "2023-06-13..2023-06-15"),
    ("前天我见了谁？", "2023-06-12..2023-06-14"),
    ("大前天我见了谁？", "2023-06-11..2023-06-13"),
    ("三天前我买了什么？", "2023-06-11..2023-06-13"),
    ("10天前我买了什么？", "2023-06-04..2023-06-06"),
    ("几天前我提到的餐厅叫什么？", "2023-06-09..2023-06-14"),
    ("前几天我提到的餐厅叫什么？", "2023-06-07..2023-06-15"),
    ("前两天我提到的餐厅叫什么？", "2023-06-11..2023-06-15"),  # 3 to 1 days ago
    ("这两天我在忙什么？", "2023-06-12..2023-06-16"),
    # 周
    ("上周我们讨论了什么？", "2023-06-04..2023-06-14"),
    ("上个星期我们讨论了什么？", "2023-06-04..2023-06-14"),
    ("大上周我们讨论了什么？", "2023-05-28..2023-06-07"),
    ("上上周我们讨论了什么？", "2023-05-28..2023-06-07"),
    ("这周我做了哪些运动？", "2023-06-11..2023-06-21"),
    ("上周三我去了哪里？", "2023-06-06..2023-06-11"),
    ("上个礼拜天我去了哪里？", "2023-06-10..2023-06-15"),
    ("上上周五我去了哪里？", "2023-06-01..2023-06-06"),  # 2 June
    ("这周一我去了哪里？", "2023-06-11..2023-06-16"),
    ("周一的会上说了什么？", "2023-06-11..2023-06-16"),
    ("星期五我和谁看的电影？", "2023-06-08..2023-06-13"),
    ("上周末我玩了什么游戏？", "2023-06-09..2023-06-15"),
    ("周六周日我做了什么？", "2023-06-09..2023-06-14 2023-06-10..2023-06-15"),
    ("周末我和谁去了公园？", "2023-06-09..2023-06-15"),
    ("两三天前我跟你说的活动是什么？", "2023-06-12..2023-06-14"),  # 2.5 days: the day before yesterday
    ("刚才我说了什么？", "2023-06-14..2023-06-16"),
    ("两周前我跟你说的活动是什么？", "2023-05-29..2023-06-04"),
    ("一个星期前我跟你说的活动是什么？", "2023-06-05..2023-06-11"),
    # 月、年以前
    ("两个月前我开始学什么？", "2023-04-03..2023-04-27"),  # 15 April
    ("半个月前我开始学什么？", "2023-05-19..2023-06-12"),  # 15 days ago, 31 May
    ("三四个月前我开始学什么？", "2023-02-17..2023-03-13"),  # 3.5 · 30.44 = 106 days ago, 1 March
    ("三个多月前我开始学什么？", "2023-03-03..2023-03-27"),  # 15 March
    ("半年前我的体重是多少？", "2022-12-03..2022-12-27"),
    ("三年前我在哪个城市？", "2020-01-21..2020-11-08"),
    ("上次你推荐的书叫什么？", "2023-05-31..2023-06-16"),
    ("最近我在看什么剧？", "2023-05-15..2023-06-16"),
    ("最近两周我见过哪些朋友？", "2023-05-31..2023-06-16"),
    ("过去三个月我买了哪些东西？", "2023-03-14..2023-06-16"),
    ("近一年我去过哪些国家？", "2022-06-14..2023-06-16"),
    # 从……到……
    ("去年3、4月我写了什么？", "2022-02-28..2022-05-07"),
    ("去年5到7月我写了什么？", "2022-04-30..2022-08-07"),
    ("五月到七月我写了什么？", "2022-04-30..2022-08-07"),
    ("去年五月到七月我写了什么？", "2022-04-30..2022-08-07"),
    ("从2021年到2022年我住在哪里？", "2020-12-31..2023-01-07"),
    ("5月3日到7日我去哪儿出差了？", "2023-05-02..2023-05-11"),
    ("3号到7号我去哪儿出差了？", "2023-06-02..2023-06-11"),
    ("五月以来我瘦了多少？", "2023-04-30..2023-06-16"),
    ("春节前一周我在准备什么？", "2023-01-13..2023-01-24"),  # 14 to 20 January
    # 不止一个
    ("昨天和前天我分别吃了什么？", "2023-06-13..2023-06-15 2023-06-12..2023-06-14"),
    ("我们在 in Q1 做了什么？", "2022-12-31..2023-04-07"),  # found in both languages, given once
    ("我在 May 2023 写了什么？", "2023-04-30..2023-06-07"),
]

NO_TIME = [
    "", "What is my sister's name?", "May I ask you something?", "What may have caused it?",
    "They march on Washington.",
    "Who did April invite to the party?", "What did I promise to do next week?", "What is planned for tomorrow?",
    "What do I do every Monday?", "When do I get up every Monday to Friday?",
    "What time do I wake up on Saturday mornings?", "What do I do on Sundays?",
    "What was the rotation for Admon on a Sunday?", "How long did I stay, two weeks?", "I was ill for two weeks.",
    "We meet twice a week.", "My son is three years old.", "It is due in two weeks.", "Two weeks later he left.",
    "How many days ago did I watch the Super Bowl?", "How long ago was Caroline's 18th birthday?",
    "When was the last time I saw Tom?", "Which lens did I purchase most recently?", "What was my last name before?",
    "What did John and May do?", "What did I catch before the 5/22 trip?",
    "What does my spring water cost?", "Did you fall in love?", "It is open 24/7.", "I need 3/4 of a cup.",
    "Call 555-2023.", "What music was made in the 1990s?", "I wrote 2000 words.", "What will I do next summer?",
    "Where do I usually eat on Friday?",
    "How often do I go swimming in winter?",
    "What is on the 5th floor?", "Where did I live before 2015?", "Where will I be on 3 September 2024?",
    "Is version 2023.5 out?", "The meeting is this coming Friday.", "How does the second quarter taste of an orange?",
    "我妹妹叫什么名字？", "明天有什么安排？", "下周三我要去哪里？", "每周三我做什么？", "每天早上我喝什么？",
    "三天的旅行怎么安排？",
    "我儿子三岁了。", "两周后要交什么？", "我学了三个月的法语。", "一周三次的课在哪里上？", "多少天前我去看的牙医？",
    "那是几天前的事？", "我上次看牙医是什么时候？", "离我最近的地铁站是哪个？", "我平时周五去哪里吃饭？",
    "每周一到周五我几点起床？",
    "冬天我一般穿什么？",
    "明年我打算去哪里？",
    "我住在5号楼吗？", "每年春节我们去哪里？", "月亮为什么会变？", "我周围有什么餐馆？", "结婚十周年怎么庆祝？",
    "今后怎么办？",
    "十分钟能到吗？", "下个月我有什么考试？", "每个月5号我做什么？", "一月一次的会是什么？",
    "五月天的演唱会好看吗？", "他今年三岁了吗？",
    "九十年代流行什么？", "一年中最冷的是什么地方？",
]  # fmt: skip
