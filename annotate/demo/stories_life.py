"""Stories about its people: what they sing, grow, repair, win and quarrel about."""

from annotate.demo.story import story

LIFE = (
    story(
        "choir",
        {
            "piece": (
                "a mass that was written for the town in 1788",
                "sea shanties in new arrangements",
                "songs from the weaving mills",
                "a winter cantata by a local teacher",
            ),
            "n": range(44, 128, 2),
            "venue": (
                "the disused gasworks",
                "the church of St Oda",
                "the cattle market",
                "the main hall of the railway station",
            ),
            "good": (
                "the hospice",
                "the lifeboat crew",
                "the refugee centre",
                "the children's ward",
            ),
        },
        article="""
The {place} choir will sing {piece} at {venue} on {day}.
/ At {venue} in {place}, the town choir will perform {piece} on {day}.

Its {n} members have rehearsed since the autumn, at times in coats and gloves.
/ Since the autumn, the {n} singers have been rehearsing, often in coats and gloves.

The oldest singer is 88, the youngest twelve.
/ Ages range from twelve to 88.

Conductor {person} said the echo had been the hardest part.
/ "You sing a note and it comes back two seconds later," conductor {person} said about the echo.

Tickets cost £9, and everything that is left over goes to {good}.
/ Admission is £9; the proceeds are meant for {good}.

Because of the demand, a second concert will follow on {day2}.
/ A second evening on {day2} has been added, as the first is sold out.
""",
        summary="""
The {place} choir will sing {piece} on {day}.
/ {venue} in {place} is the setting for a concert by the town choir on {day}.
/ On {day} the choir of {place} will perform {piece} at {venue}.

<Its|The choir's> {n} members have rehearsed since the autumn, and the proceeds go to {good}.
/ Tickets cost £9, and the money will be given to {good}.
/ The first night is sold out, so a second concert will follow on {day2}.

The oldest singer is 88.
/ According to conductor {person}, the echo was the hardest part.
""",
    ),
    story(
        "river-cleanup",
        {
            "haul": (
                "eleven bicycles, a safe and a garden gnome",
                "forty tyres and a church bell",
                "nine shopping trolleys and a piano stool",
                "a rowing boat, two mopeds and a bathtub",
            ),
            "n": range(70, 315, 5),
            "river": ("Lorne", "Ashel", "Tarrow", "Minning"),
            "weight": ("two", "three", "five", "six"),
        },
        article="""
Volunteers have pulled {haul} out of the river {river} in {place}.
/ {haul}: that is what volunteers pulled out of the river {river} in {place} on {day}.

Altogether {n} people took part, among them a diving club from {other}.
/ A diving club from {other} was among the {n} people who helped.

The rubbish weighed {weight} tonnes and filled the yard of the town works.
/ In the end, {weight} tonnes of rubbish lay in the yard of the town works.

Organiser {person} said there was less plastic than last year but more metal.
/ There was more metal and less plastic than last year, organiser {person} reported.

Police are trying to find the owners of the more valuable things.
/ The police hope to return the more valuable items to their owners.

Next time the group wants to clean the canal as well.
/ The canal is next on the list.
""",
        summary="""
Volunteers have cleared {weight} tonnes of rubbish from the river {river} in {place}.
/ A clean-up of the river {river} in {place} brought up {haul}.
/ {n} volunteers pulled {haul} out of the river {river} in {place}.

<They|The volunteers> were helped by divers from {other}, and police are looking for the owners
of valuable
items.
/ There was more metal than last year but less plastic, said organiser {person}.
/ The police hope to give the more valuable things back to their owners.

The canal will be cleaned next.
/ A diving club from {other} took part.
""",
    ),
    story(
        "school-strike",
        {
            "day": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
            "matter": (
                "the heating has been broken since November",
                "lunch now costs twice as much",
                "the last school bus leaves before lessons end",
                "the gym has been full of buckets since the roof began to leak",
            ),
            "school": (
                "the secondary school",
                "the grammar school",
                "Northgate School",
                "the vocational college",
            ),
            "n": range(140, 690, 10),
            "promise": (
                "a repair within two weeks",
                "a meeting with the county",
                "a visit by an inspector",
                "a temporary solution by {month}",
            ),
        },
        article="""
About {n} pupils at {school} in {place} stayed out of class on {day} because {matter}.
/ Because {matter}, about {n} pupils at {school} in {place} refused to go to lessons on {day}.

They gathered in the yard with home-made signs and a brass band.
/ With home-made signs and a brass band, they filled the yard.

Head teacher {person} said the pupils had been polite and had a point.
/ "They were polite, and frankly they are right," said head teacher {person}.

The county promised {promise}.
/ In a short statement, the county announced {promise}.

Missed lessons will be made up on a Saturday, and nobody will be punished.
/ There will be no punishment, but the lessons will be made up on a Saturday.

Parents supported the protest and brought soup.
/ Soup was brought by parents, most of whom backed the protest.
""",
        summary="""
About {n} pupils in {place} stayed away from lessons on {day} because {matter}.
/ Pupils at {school} in {place} have protested because {matter}.
/ A protest at {school} in {place} drew about {n} pupils on {day}.

The county has promised {promise}, and nobody will be punished.
/ Head teacher {person} showed sympathy, and the county promised {promise}.
/ They were supported by parents and will make up the lessons on a Saturday.

The lessons will be made up on a Saturday.
/ Parents brought soup.
""",
    ),
    story(
        "market-square",
        {
            "change": (
                "without cars",
                "with twenty new lime trees",
                "with a fountain for children",
                "with a covered market hall",
            ),
            "n": range(47, 121),
            "loud": (
                "traders",
                "taxi drivers",
                "the residents' association",
                "the owners of two restaurants",
            ),
            "months": ("nine", "eleven", "fourteen", "sixteen"),
        },
        article="""
The market square in {place} will be rebuilt {change}, and {n} parking spaces will disappear.
/ {place} is to rebuild its market square {change}, at the price of {n} parking spaces.

The plan by architect {person} won a competition with 31 entries.
/ It was designed by {person}, an architect who beat 30 rivals in a competition.

Complaints came from {loud}, who asked for a vote.
/ The loudest objections came from {loud}, who wanted the town to vote on it.

During the work the weekly market will move to the riverside.
/ Stalls will be set up at the riverside for as long as the work lasts.

The old paving stones are to be cleaned and used again.
/ Every old paving stone will be numbered, cleaned and put back.

Building begins in {month} and should take {months} months.
/ The diggers come in {month} and are expected to stay for {months} months.
""",
        summary="""
The market square in {place} is to be rebuilt {change}.
/ {place} will rebuild its market square {change} and lose {n} parking spaces.
/ Work on a new market square {change} will begin in {place} in {month}.

<It|The rebuilding> will take {months} months, and {loud} have objected.
/ The design by {person} won a competition, but {loud} objected to it.
/ The market will move to the riverside for {months} months.

The old paving stones will be used again.
/ There will be {n} fewer parking spaces.
""",
    ),
    story(
        "chess-girl",
        {
            "age": ("nine", "ten", "eleven", "twelve"),
            "game": (
                "the regional chess championship",
                "the national spelling contest",
                "the county table tennis open",
                "the youth climbing cup",
            ),
            "n": range(38, 121),
            "coach": (
                "a retired tram driver",
                "her grandfather",
                "the school caretaker",
                "a neighbour who never lost a match",
            ),
        },
        article="""
{girl}, who is {age}, has become the youngest ever winner of {game}.
/ At the age of {age}, {girl} from {place} has become the youngest ever winner of {game}.

The pupil from {place} beat {n} others, most of them adults.
/ She came out ahead of {n} others, most of them twice her age.

Her coach is {coach}, who has trained her three evenings a week.
/ Three evenings a week she trains with {coach}.

Before the last round she ate a cheese sandwich and read a comic.
/ A comic and a cheese sandwich were her preparation for the last round.

"I was more nervous than she was," said her mother.
/ Her mother admitted that she had hardly been able to watch.

Next spring she will travel to the finals in {other}.
/ The next stop is {other}, where the finals are held in spring.
""",
        summary="""
{girl}, {age}, is the youngest ever winner of {game}.
/ A pupil of {age} from {place}, {girl}, has won {game}.
/ {girl} from {place} has won {game} at the age of {age}.

<She|{girl}> beat {n} others and is trained by {coach}.
/ <She|{girl}> came out ahead of {n} others, most of them adults.
/ <She|{girl}> trains three evenings a week with {coach}.

The finals will be held in {other} in spring.
/ Next spring <she|{girl}> will travel to the finals in {other}.
""",
    ),
    story(
        "wolf",
        {
            "beast": ("a wolf", "a lynx", "a golden jackal", "a wild cat", "a family of otters"),
            "proof": (
                "a camera meant for badgers",
                "tracks in fresh snow",
                "hairs caught on a fence",
                "the doorbell camera of a farmhouse",
            ),
            "n": range(60, 190, 10),
            "worry": ("sheep farmers", "beekeepers", "dog owners", "the owners of fish ponds"),
        },
        article="""
For the first time in {n} years, {beast} has been recorded in the woods near {place}.
/ {beast} has been recorded in the woods near {place}, for the first time in {n} years.

The proof came from {proof}.
/ It was {proof} that supplied the proof.

Ranger {person} had suspected it for weeks because the deer had become shy.
/ The shy behaviour of the deer had made ranger {person} suspicious weeks ago.

There have been mixed reactions, and {worry} are concerned.
/ Not everyone is delighted: {worry} are concerned.

The forest office will hold an open evening in {other} on {day}.
/ Questions will be answered at an open evening in {other} on {day}.

Walkers are asked to stay on the paths and to keep their dogs on a lead.
/ The office asks walkers to keep to the paths and dogs to be on a lead.
""",
        summary="""
{beast} has been recorded near {place} for the first time in {n} years.
/ Rangers have found signs of {beast} in the woods near {place}.
/ After {n} years, {beast} has been recorded again near {place}.

The proof came from {proof}, and {worry} are concerned.
/ While ranger {person} had expected it, {worry} are concerned.
/ The forest office will answer questions in {other} on {day}, since {worry} are concerned.

Walkers should keep their dogs on a lead.
/ Walkers are asked to stay on the paths.
""",
    ),
    story(
        "water-main",
        {
            "street": (
                "Station Road",
                "the High Street",
                "Orchard Way",
                "Tanner Street",
                "Abbey Hill",
            ),
            "n": range(220, 1820, 20),
            "cause": ("a pipe laid in 1931", "tree roots", "a digger", "hard frost"),
            "hours": ("six", "nine", "thirteen", "eighteen"),
        },
        article="""
A burst water main left {n} homes in {place} without water for {hours} hours on {day}.
/ For {hours} hours on {day}, {n} homes in {place} had no water after a main burst.

It happened on {street}, where the road collapsed over a length of ten metres.
/ On {street}, where it happened, ten metres of the road collapsed.

The cause was {cause}, the water company said.
/ According to the water company, {cause} had caused the break.

Tankers were parked outside the sports hall, and neighbours carried bottles to older people.
/ People filled bottles at tankers outside the sports hall and carried them to older neighbours.

A kindergarten had to send the children home.
/ One kindergarten closed for the day.

{person}, who owns a café, washed up in rainwater and stayed open.
/ Café owner {person} stayed open and washed the cups in rainwater.
""",
        summary="""
A burst water main left {n} homes in {place} without water on {day}.
/ {n} homes in {place} had no water for {hours} hours on {day}.
/ After a main burst on {street}, {n} homes in {place} were without water.

The break was caused by {cause} and damaged ten metres of road.
/ The break was caused by {cause}, and tankers supplied people outside the sports hall.
/ Tankers were sent to the sports hall, and a kindergarten sent the children home.

A kindergarten was closed for the day.
/ The road collapsed over a length of ten metres.
""",
    ),
    story(
        "night-train",
        {
            "stop": (
                "a night train to the coast",
                "a direct train to the capital",
                "a steam train at weekends",
                "an early train for commuters",
            ),
            "ends": (
                "after a pause of eleven years",
                "for the first time since the flood",
                "following a long campaign",
                "after repairs to the viaduct",
            ),
            "n": range(48, 312, 2),
            "price": ("£14", "£19", "£27", "£35"),
        },
        article="""
From {month}, {stop} will stop in {place} {ends}.
/ {stop} will call at {place} from {month}, {ends}.

It has room for {n} passengers and carries bicycles free of charge.
/ Bicycles travel free, and there is room for {n} passengers.

A single ticket costs {price}, or half of that for people under 26.
/ The fare is {price}, with a discount of one half for people under 26.

Railway manager {person} said bookings were already twice as high as expected.
/ Bookings are twice as high as expected, railway manager {person} said.

The waiting room, which had been used as a store, has been painted and heated.
/ For the occasion, the waiting room has been cleared of junk, painted and heated.

In {other}, where the train will no longer stop, there is disappointment.
/ People in {other} are disappointed, because their own stop has been dropped.
""",
        summary="""
From {month}, {stop} will stop in {place}.
/ {place} will be served by {stop} from {month}.
/ {stop} will call at {place} {ends}.

A ticket costs {price}, and bookings are twice as high as expected.
/ There is room for {n} passengers, who pay {price} each.
/ Bookings are already twice as high as expected, but {other} loses its stop.

Bicycles travel free of charge.
/ People under 26 pay half.
""",
    ),
    story(
        "repair-cafe",
        {
            "thing": ("toasters", "sewing machines", "bicycles", "radios", "music boxes"),
            "n": range(300, 1420, 20),
            "place_in": (
                "a former post office",
                "the cellar of the town hall",
                "an empty shoe shop",
                "the old fire station",
            ),
            "rate": ("two thirds", "three quarters", "four fifths"),
        },
        article="""
The repair café in {place} has mended its thousandth object, and once more it was one of many
{thing}.
/ One of many {thing} has become the thousandth object to be mended at the repair café in
{place}.

It meets every second {day} in {place_in}.
/ Every second {day} the volunteers unpack their tools in {place_in}.

About {rate} of the things brought in leave in working order.
/ Visitors take home about {rate} of their things in working order.

Founder {person} estimates that {n} kilograms of waste have been avoided.
/ According to founder {person}, {n} kilograms of waste have been avoided so far.

There is no charge, although a jar for coins stands beside the coffee.
/ Nobody has to pay, but beside the coffee there is a jar for coins.

The group needs someone who knows about clocks.
/ What the volunteers still lack is somebody who understands clocks.
""",
        summary="""
The repair café in {place} has mended its thousandth object.
/ Volunteers in {place} have repaired a thousand objects, among them many {thing}.
/ A thousand broken things have been mended at the repair café in {place}.

<It|The repair café> meets every second {day} and mends {rate} of what people bring.
/ About {rate} of the things brought to {place_in} leave in working order.
/ Founder {person} says {n} kilograms of waste have been avoided.

The service is free.
/ The group is looking for someone who knows about clocks.
""",
    ),
    story(
        "fire-brewery",
        {
            "building": (
                "a former brewery",
                "the timber yard",
                "an empty cinema",
                "a furniture store",
                "the bowling club",
            ),
            "n": range(42, 120, 2),
            "cause": (
                "an electrical fault",
                "a forgotten candle",
                "welding work",
                "a battery that was being charged",
            ),
            "saved": (
                "the horses next door",
                "a collection of old posters",
                "three cats",
                "the archive in the cellar",
            ),
        },
        article="""
A fire has destroyed {building} in {place}, but nobody was hurt.
/ {building} in {place} burned down on {day} night; nobody was hurt.

About {n} firefighters from five towns fought the flames until morning.
/ Five towns sent about {n} firefighters, who were busy until morning.

They managed to save {saved}.
/ Thanks to their quick work, {saved} could be saved.

Investigators believe that {cause} started the fire.
/ The cause was probably {cause}, investigators said.

"We saw the sky turn orange and thought it was the sunrise," said neighbour {person}.
/ {person}, who lives across the street, at first took the glow for the sunrise.

The damage is put at several hundred thousand pounds.
/ Insurers speak of damage of several hundred thousand pounds.
""",
        summary="""
A fire has destroyed {building} in {place}.
/ {building} in {place} has burned down during the night.
/ About {n} firefighters could not prevent a fire from destroying {building} in {place}.

Nobody was hurt, and firefighters were able to save {saved}.
/ Investigators think {cause} was to blame; nobody was hurt.
/ The fire crews saved {saved}, and there were no injuries.

The damage is put at several hundred thousand pounds.
/ Crews from five towns worked until morning.
""",
    ),
    story(
        "apprentices",
        {
            "trade": ("bricklayers", "opticians", "boat builders", "bakers", "heating engineers"),
            "n": range(21, 84),
            "trick": (
                "free driving lessons",
                "a room in the town's own flats",
                "a week of trying out the work",
                "a laptop of their own",
            ),
            "rise": ("a third", "a quarter", "two fifths"),
        },
        article="""
More young people in {place} are training as {trade} than at any time in twenty years.
/ In {place}, the number of trainee {trade} is the highest in twenty years.

This autumn {n} of them started, a rise of {rise}.
/ There were {n} new starters this autumn, {rise} more than a year ago.

Employers say that offering {trick} made the difference.
/ What made the difference, employers say, was the offer of {trick}.

{person}, who left university after a year, said <{she}|{person}> liked to see in the evening
what had been done.
/ "In the evening I can see what I have done," said {person}, who left university after a year.

The vocational school has rented two more rooms in {other}.
/ Two extra classrooms have been rented in {other}.

Only one in eight of the trainees is a woman.
/ Women make up only an eighth of the trainees.
""",
        summary="""
More young people in {place} are training as {trade}.
/ The number of trainee {trade} in {place} is the highest in twenty years.
/ In {place}, {n} young people have begun to train as {trade}.

Employers believe the rise of {rise} is due to the offer of {trick}.
/ Employers attract them with {trick}.
/ Numbers rose by {rise} after employers began to offer {trick}.

Only one in eight is a woman.
/ The vocational school had to rent two more rooms.
""",
    ),
    story(
        "swimming-pool",
        {
            "pool": ("the open-air pool", "the indoor pool", "the sea-water pool", "the lido"),
            "trouble": (
                "a cracked basin",
                "a broken boiler",
                "a lack of lifeguards",
                "a rise in energy bills",
            ),
            "n": range(11, 33),
            "record": ("900", "1,400", "2,100", "2,600"),
        },
        article="""
{pool} in {place} has opened again after being closed for {n} months because of {trouble}.
/ After {n} months, {trouble} no longer keeps swimmers out of {pool} in {place}.

On {day}, the first day, {record} people came.
/ On the first day alone, {record} visitors went through the turnstile.

The first into the water was {person}, who is 79 and has swum there since childhood.
/ {person}, 79, a regular since childhood, was allowed to jump in first.

Prices are unchanged, but early swimmers must now book a lane.
/ While prices stay the same, lanes before eight o'clock have to be booked.

A supporters' club raised part of the money with a sponsored walk to {other}.
/ Part of the cost was met by a sponsored walk to {other}.

The slide will follow in {month}, when a missing part arrives.
/ Only the slide is still waiting for a part, which is due in {month}.
""",
        summary="""
{pool} in {place} is open again after {n} months.
/ Swimmers in {place} can use {pool} again, which was closed because of {trouble}.
/ After a break of {n} months caused by {trouble}, {pool} in {place} has opened again.

On the first day {record} people came, and prices have not changed.
/ <It|{pool}> drew {record} visitors on the first day.
/ Prices are unchanged, though early swimmers have to book a lane.

The slide will open in {month}.
/ A sponsored walk helped to pay for the work.
""",
    ),
    story(
        "language-cafe",
        {
            "langs": ("eleven", "seventeen", "twenty-three", "thirty"),
            "n": range(25, 95, 5),
            "host": (
                "the parish hall",
                "a laundrette",
                "the staff canteen of the town works",
                "the chess club",
            ),
            "dish": ("lentil soup", "dumplings", "flatbread", "plum cake"),
        },
        article="""
Newcomers and residents of {place} meet in {host} every {day} to practise each other's
languages.
/ Every {day}, {host} in {place} turns into a meeting place where people practise each other's
languages.

Up to {n} people come, and {langs} languages have been heard so far.
/ So far {langs} languages have been counted among the {n} or so people who come.

It began with two neighbours and a pot of {dish}.
/ Two neighbours started it over a pot of {dish}.

"Grammar can wait; first we learn how to complain about the weather," said organiser {person}.
/ Organiser {person} said complaints about the weather made the best first lesson.

Three people have found work through contacts they made there.
/ Contacts made there have led to a job for three people.

A second group will start in {other} in {month}.
/ In {month} the idea will be copied in {other}.
""",
        summary="""
Newcomers and residents of {place} practise languages together every {day}.
/ A weekly meeting in {host} in {place} brings newcomers and residents together.
/ In {place}, people meet every {day} to learn each other's languages.

Up to {n} people take part, who speak {langs} languages in all.
/ <It|The language meeting> began with a pot of {dish} and now attracts up to {n} people.
/ The group has heard {langs} languages so far, and three people have found work through it.

A second group is planned in {other}.
/ Three people have found work through it.
""",
    ),
    story(
        "theatre-roof",
        {
            "house": (
                "the Alhambra theatre",
                "the puppet theatre",
                "the town's only cinema",
                "the concert hall",
            ),
            "n": range(210, 650, 10),
            "find": (
                "dry rot in the beams",
                "a leak above the stage",
                "asbestos in the ceiling",
                "a nest of protected bats",
            ),
            "gift": ("a retired dentist", "an unknown donor", "the brass band", "a school class"),
        },
        article="""
{house} in {place} has cancelled its spring season because of {find}.
/ Because of {find}, there will be no spring season at {house} in {place}.

The house, which has {n} seats, closed on {day}.
/ Its {n} seats have been empty since {day}.

Director {person} said the safety of the audience came first.
/ "We will not play under a ceiling we do not trust," said director {person}.

Some shows will move to a tent beside the football ground.
/ A tent beside the football ground will be used for some of the shows.

The repair fund got off to a good start with £5,000 from {gift}.
/ With £5,000, {gift} was the first to pay into the repair fund.

Tickets can be returned or exchanged until the end of {month}.
/ Until the end of {month}, visitors can return or exchange their tickets.
""",
        summary="""
{house} in {place} has cancelled its spring season because of {find}.
/ {house} in {place} is closed because of {find}.
/ Owing to {find}, {house} in {place} will stay shut this spring.

Some shows will move to a tent, and tickets can be returned until the end of {month}.
/ Tickets can be returned, and a repair fund has received £5,000 from {gift}.
/ A tent will be used for some of the shows, said director {person}.

<It|{house}> has {n} seats.
/ The first gift to the repair fund came from {gift}.
""",
    ),
    story(
        "speed-limit",
        {
            "day": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
            "zone": (
                "the school district",
                "the whole of the old town",
                "the streets along the lake",
                "the village of Nether {place}",
            ),
            "n": range(31, 68),
            "cut": ("a quarter", "a third", "nearly half"),
            "method": (
                "with flower tubs in the road",
                "with two fixed cameras",
                "with a smiling sign",
                "without a single fine",
            ),
        },
        article="""
Since a limit of 30 was introduced in {zone}, accidents in {place} have fallen by {cut}.
/ Accidents in {place} have fallen by {cut} since the speed limit in {zone} was lowered to 30.

A report presented on {day} compares {n} weeks before and after the change.
/ On {day} the council heard a report that compares {n} weeks before and after.

The town achieved this {method}.
/ It was done {method}.

Drivers lose 40 seconds on average, according to the figures.
/ The figures show that drivers need 40 seconds longer on average.

{person}, who had collected signatures against it, now says {she} was wrong.
/ One of its fiercest critics, {person}, has changed {her} mind.

The neighbouring town of {other} is thinking about a similar step.
/ A similar step is being discussed in {other}.
""",
        summary="""
Accidents in {place} have fallen by {cut} since a limit of 30 was introduced.
/ A lower speed limit in {zone} has cut accidents in {place} by {cut}.
/ The limit of 30 in {zone} has made {place} safer, a report says.

Drivers lose only 40 seconds, and {other} may follow the example.
/ The town did it {method}, and drivers lose 40 seconds on average.
/ Even {person}, a former critic, now supports it.

The report compares {n} weeks before and after.
/ A similar step is being discussed in {other}.
""",
    ),
    story(
        "honey-thief",
        {
            "goods": (
                "forty beehives",
                "a vintage tractor",
                "the bronze statue of a goose",
                "two tonnes of apples",
                "a church organ pipe",
            ),
            "clue": (
                "a trail of wax",
                "a dropped library card",
                "the smell of fresh paint",
                "a photograph posted by a neighbour",
            ),
            "n": range(24, 58),
            "spot": (
                "a barn",
                "a lock-up garage",
                "an empty greenhouse",
                "a lorry with false plates",
            ),
        },
        article="""
Police have found {goods} stolen from {place} in {spot} near {other}.
/ In {spot} near {other}, police have found {goods} that had been stolen from {place}.

The decisive hint was {clue}.
/ It was {clue} that led officers to the place.

A man aged {n} was arrested and has admitted the theft.
/ Officers arrested a man aged {n}, who has since confessed.

He said he had acted out of anger about a parking ticket.
/ Anger about a parking ticket was the motive he gave.

"I never thought I would see it all again," said {person}, who had reported the loss.
/ {person}, who had reported the theft, did not hide {her} relief.

The case will go before the court in {month}.
/ A court will deal with the matter in {month}.
""",
        summary="""
Police have found {goods} stolen from {place}.
/ {goods} stolen from {place} turned up in {spot} near {other}.
/ A man of {n} has admitted the theft of {goods} from {place}.

The hint that led to the hiding place was {clue}.
/ It was {clue} that helped officers solve the case.
/ The thief gave anger about a parking ticket as his motive and will be in court in {month}.

The court will hear the case in {month}.
/ It all began with a parking ticket.
""",
    ),
    story(
        "weather-summer",
        {
            "spell": (
                "the driest June",
                "the warmest April",
                "the wettest July",
                "the sunniest May",
            ),
            "since": ("1948", "1959", "1976", "1983"),
            "n": range(14, 30),
            "effect": (
                "the flower show had to be moved",
                "the regatta was put off until autumn",
                "the harvest began at an unusual time",
                "the school sports day was held indoors",
            ),
        },
        article="""
{place} has had {spell} since {since}, the regional weather office reports.
/ According to the regional weather office, {place} has just had {spell} since {since}.

On {n} days the readings were far outside the usual range.
/ There were {n} days on which readings lay far outside the usual range.

One result was that {effect}.
/ People noticed, because {effect}.

Gardeners in {other} exchanged advice and rain barrels.
/ In {other}, neighbours lent each other hoses and rain barrels.

{person}, who has kept the station's diary since {her} retirement, does not expect the record to
stand for long.
/ "I doubt that this record will stand for ten years," said {person}, who looks after the
station.

Milder weather is forecast from {day}.
/ From {day} the forecast is for more ordinary weather.
""",
        summary="""
{place} has had {spell} since {since}.
/ It was {spell} since {since} in {place}.
/ The weather office says {place} has had {spell} since {since}.

As a result, {effect}.
/ Readings were unusual on {n} days, and {effect}.
/ On {n} days the readings were far outside the usual range.

Milder weather is forecast from {day}.
/ {person} of the station does not expect the record to stand.
""",
    ),
    story(
        "allotments",
        {
            "plan": (
                "a supermarket",
                "a car park for the hospital",
                "forty flats",
                "a tennis centre",
            ),
            "n": range(34, 142, 2),
            "offer": (
                "new plots on the edge of town",
                "£800 for each shed",
                "a lease of thirty years elsewhere",
                "help with moving the fruit trees",
            ),
            "age": ("61", "74", "88", "103"),
        },
        article="""
Gardeners in {place} are fighting a plan to replace their allotments with {plan}.
/ A plan to build {plan} on the allotments in {place} has met with resistance.

The site has {n} plots and has been in use for {age} years.
/ For {age} years people have grown vegetables on its {n} plots.

The owner has offered {offer}, which the gardeners turned down.
/ An offer of {offer} was turned down at a meeting on {day}.

"You cannot move soil that three generations have looked after," said chair {person}.
/ Chair {person} said good soil could not be packed in boxes.

Council officers point out that the land was always meant for building.
/ The land has been marked for building since it was bought, officers point out.

A decision is expected in {month}.
/ Councillors want to decide in {month}.
""",
        summary="""
Gardeners in {place} are resisting a plan to build {plan} on their allotments.
/ The allotments in {place} may have to make way for {plan}.
/ A plan for {plan} threatens {n} allotments in {place}.

<They|The gardeners> have turned down an offer of {offer}.
/ The gardeners refused {offer}, and a decision is expected in {month}.
/ The site has been in use for {age} years, and an offer of {offer} was refused.

Officers say the land was always meant for building.
/ A decision is expected in {month}.
""",
    ),
    story(
        "lighthouse",
        {
            "use": (
                "a guest house",
                "a radio station for beginners",
                "a laboratory for sea birds",
                "a place to get married",
            ),
            "steps": ("112", "138", "164", "201"),
            "n": range(3, 13),
            "sum": ("£95,000", "£140,000", "£210,000", "£380,000"),
        },
        article="""
The lighthouse at {place}, dark for {n} years, is to become {use}.
/ Dark for {n} years, the lighthouse at {place} will be turned into {use}.

An association has leased it for the symbolic sum of £1 a year.
/ For £1 a year an association has taken over the lease.

New windows and a safer staircase with {steps} steps will cost {sum}.
/ The association must find {sum} for windows and for the staircase, which has {steps} steps.

{person}, the daughter of the last keeper, has given it the old log books.
/ The old log books were handed over by {person}, a daughter of the last keeper.

The light itself will be switched on once a year.
/ Once a year the lamp will shine again.

Guided tours start in {month}, weather permitting.
/ If the weather allows, the first tours will take place in {month}.
""",
        summary="""
The lighthouse at {place} is to become {use}.
/ An association will turn the lighthouse at {place} into {use}.
/ After {n} dark years, the lighthouse at {place} has a future as {use}.

<It|The lighthouse> needs work worth {sum}, and tours start in {month}.
/ The association pays £1 a year and has to find {sum} for the repairs.
/ Repairs will cost {sum}, and the first tours are planned for {month}.

The lamp will shine once a year.
/ The last keeper's log books have been handed over.
""",
    ),
)
