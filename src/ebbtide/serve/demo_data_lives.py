"""What two more made-up assistants know: one of a traveller (score), one of a research group (retention)."""

from typing import NamedTuple


class Note(NamedTuple):
    """`ago`: days before today; `every`: days between two uses, 0: never used; `until`: how long ago they ended."""

    ago: float
    key: str
    text: str
    every: float = 0.0
    until: float = 0.0
    importance: float | None = None
    policy: str | None = None


TRAVELLER = (
    Note(120, "passport", "The passport runs out in March 2029.", 6),
    Note(118, "seat", "She wants an aisle seat near the front, never the last row.", 3),
    Note(117, "花生", "她对花生过敏，订餐的时候一定要说明。", 2),
    Note(112, "lisbon-hotel", "The hotel in Lisbon is Casa do Largo; breakfast ends at ten.", 6, 90),
    Note(111, "lisbon-tram", "Tram 28 in Lisbon is full after nine: walk instead.", 8, 92),
    Note(110, "miles", "Her frequent flyer number ends in 4471.", 4),
    Note(101, "里斯本-面包", "里斯本老城的面包店周一不开门。"),
    Note(95, "visa", "For Vietnam she needs a visa; the last one took nine days.", 15, 30),
    Note(88, "hanoi-friend", "Her friend Linh lives in Hanoi and meets trains with a red umbrella.", 10, 20),
    Note(84, "河内-咖啡", "河内的鸡蛋咖啡，她最喜欢还剑湖边的那一家。", 14, 15),
    Note(80, "insurance", "The travel insurance covers 90 days a year; 41 were used by June."),
    Note(66, "camera-bag", "The camera goes into the hand luggage, the tripod does not."),
    Note(60, "home-plant", "Her neighbour Otto waters the plants; he wants postcards.", 4),
    Note(52, "kyoto", "Kyoto in April: book before Christmas or not at all.", 3),
    Note(50, "京都-旅馆", "京都那家旅馆的老板娘会说一点中文，可以直接打电话。", 3),
    Note(45, "rail-pass", "The rail pass is only worth it for more than five long rides."),
    Note(40, "adapter", "The grey adapter is broken, take the white one.", 5),
    Note(34, "gate", "She once missed a plane in Doha because of a gate change: check twice.", 4),
    Note(30, "taxi-hanoi", "A taxi from the airport of Hanoi should not cost more than 400,000 dong."),
    Note(21, "护照照片", "护照照片还剩两张，放在书桌的抽屉里。", 6),
    Note(13, "kyoto-dates", "The trip to Kyoto is from the 4th to the 15th of April.", 1.5),
    Note(9, "dentist", "The dentist is on the 2nd: no flights in that week.", 4),
    Note(4, "voucher", "There is a voucher of 150 euros from the cancelled flight; it ends in June.", 2),
    Note(1, "window", "On the flight to Osaka she wants a window for once, to see Fuji."),
)
TRAVELLER_LINKS = (
    ("kyoto", "kyoto-dates", "decided as", 0.9),
    ("kyoto", "京都-旅馆", "住在", 0.8),
    ("kyoto-dates", "window", "flight", 0.5),
    ("kyoto-dates", "passport", "needs", 0.5),
    ("lisbon-hotel", "lisbon-tram", "near", 0.4),
    ("hanoi-friend", "河内-咖啡", "推荐", 0.6),
    ("visa", "hanoi-friend", "for", 0.3),
    ("seat", "window", "except", 0.7),
    ("kyoto-dates", "dentist", "after", 0.2),
)

RESEARCH = (
    Note(
        150,
        "thesis",
        "The group believes that salt marshes store more carbon than the maps say.",
        12,
        0,
        0.95,
        "persistent",
    ),
    Note(149, "core-7", "Core 7 from the Elbe marsh: 31 kg of carbon per square metre, dated by lead-210.", 0, 0, 0.6),
    Note(148, "core-12", "十二号岩芯取自崇明东滩，含碳量比预期高四成。", 0, 0, 0.6),
    Note(146, "map-error", "The satellite map counts flooded reed as open water.", 9, 0, 0.8),
    Note(140, "reviewer-2", "Reviewer 2 doubts the dating and wants a second method.", 8, 60, 0.5),
    Note(133, "cs-137", "铯-137的结果和铅-210相差不到三年。", 10, 0, 0.7),
    Note(127, "boat", "The boat is booked under the name of the institute, not of the group.", 0, 0, 0.3),
    Note(121, "drill", "The drill head was lent to the Danes until autumn.", 11, 80, 0.4),
    Note(116, "lunch-denmark", "The canteen in Esbjerg is better than ours.", 0, 0, 0.1),
    Note(108, "permit", "The permit for the Elbe marsh is renewed every February by Dr Holm.", 14, 0, 0.75),
    Note(101, "cold-room", "Samples 40 to 96 are in the cold room of the second basement.", 12, 0, 0.6),
    Note(96, "old-room", "样品1到39已经送到分馆，钥匙在前台。", 0, 0, 0.5),
    Note(90, "poster", "The poster for the conference needs the new map and fewer words.", 4, 70, 0.4),
    Note(84, "hashtag", "The conference tag was #marsh26.", 0, 0, 0.05),
    Note(77, "budget", "There are 12,400 left for analyses this year.", 9, 0, 0.7),
    Note(70, "wei", "魏老师每周三下午在实验室，可以问他质谱仪的事。", 7, 0, 0.6),
    Note(63, "spectrometer", "The mass spectrometer drifts after four hours; calibrate at noon.", 6, 0, 0.65),
    Note(55, "storm", "The storm in September moved the outer plots by two metres.", 8, 0, 0.7),
    Note(47, "plots-new", "新的样方坐标在共享文件夹里，旧的不要再用。", 5, 0, 0.7),
    Note(
        46, "plots-same", "The new coordinates of the plots are in the shared folder; the old ones are void.", 0, 0, 0.5
    ),
    Note(38, "draft-2", "The second draft goes to the co-authors on the 9th.", 5, 12, 0.55),
    Note(30, "co-author", "Sørensen answers mails only on Mondays.", 7, 0, 0.5),
    Note(20, "figure-3", "Figure 3 must show both dating methods side by side.", 4, 0, 0.6),
    Note(12, "wifi", "The guest password of the field station is on the fridge.", 0, 0, 0.15),
    Note(8, "deadline", "修改稿的截止日期是下个月十八号。", 2, 0, 0.85),
    Note(3, "coffee", "The coffee machine is being repaired until Thursday.", 0, 0, 0.1, "ephemeral"),
    Note(1, "train", "The train to Hamburg leaves at 7:12 from platform 3.", 0, 0, 0.4),
    Note(0.4, "visitor", "Two visitors from Qingdao come at three.", 0, 0, 0.2, "ephemeral"),
)
RESEARCH_LINKS = (
    ("thesis", "core-7", "SUPPORTED_BY", 0.9),
    ("thesis", "core-12", "SUPPORTED_BY", 0.9),
    ("map-error", "core-7", "SUPPORTED_BY", 0.5),
    ("plots-new", "plots-same", "EQUIV", 1.0),
    ("cs-137", "reviewer-2", "answers", 0.8),
    ("figure-3", "cs-137", "shows", 0.7),
    ("deadline", "draft-2", "follows", 0.6),
)
