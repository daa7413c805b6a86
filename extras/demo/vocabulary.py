"""Invented places and people, and the plain words the stories share."""

PLACES = (
    "Marshwick", "Harrowfen", "Tollerby", "Quillham", "Brackenmouth", "Dunsallow", "Pennerick",
    "Wexlow", "Thornquay", "Aldermere", "Saltreach", "Corvenham", "Mirefield", "Stonebeck",
    "Ravelstow", "Oakenhythe", "Fernlode", "Greywater", "Hollinmarsh", "Cindersea", "Yarrowgate",
    "Pilcombe", "Ebbingford", "Larkmoor", "Tansley Cross", "Upper Quern", "Wendlebury",
    "Kittlewick", "Sallowby", "Drumfleet",
)  # fmt: skip

WOMEN = (
    "Ada", "Ingrid", "Miriam", "Priya", "Odile", "Hanna", "Ruth", "Leila", "Tamsin", "Noor",
    "Beatriz", "Yuki", "Agnes", "Zofia", "Maeve", "Farida", "Clara", "Ines",
)  # fmt: skip

MEN = (
    "Tobias", "Samir", "Edwin", "Kofi", "Marek", "Luca", "Owen", "Hugo", "Anton", "Rafi",
    "Ivor", "Desmond", "Jonas", "Emeka", "Piotr", "Gareth", "Bruno", "Hassan",
)  # fmt: skip

LAST_NAMES = (
    "Hallowby", "Trenk", "Marrable", "Ostrand", "Pellwick", "Quarrie", "Sandoe", "Brimlow",
    "Dovery", "Fenwright", "Garrowsby", "Imberline", "Jessamy", "Kestrin", "Lorimar",
    "Nettlefold", "Okarande", "Rushmere", "Tindleby", "Wherry", "Ablethorn", "Coldrake",
    "Embersole", "Thackwray", "Ulverby", "Vasterling", "Yewdall", "Zellick",
)  # fmt: skip

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip

SMALL_NUMBERS = (
    "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
)  # fmt: skip

# What a web page leaves in front of a story, and a lead system copies as if it were the story.
BOILERPLATE = (
    "Listen to this article (three minutes).",
    "Photo: town archive.",
    "Last updated at 14.20.",
    "Share this story with your friends.",
    "Read more: our picture gallery.",
    "This article is for subscribers only.",
    "Advertisement.",
)
