"""Stories about the town: its buildings, its council, its shops, its bad weather."""

from annotate.demo.story import story

TOWN = (
    story(
        "library-hours",
        {
            "reason": (
                "a survey of readers",
                "a petition signed at the front desk",
                "two years of requests from students",
                "a trial last winter",
            ),
            "extra": (
                "a toddlers' reading hour",
                "a homework table with free tea",
                "a repair corner for laptops",
                "an evening class in family history",
            ),
            "n": range(6, 20),
            "cost": ("£18,000", "£23,500", "£31,000", "£42,000"),
        },
        article="""
The public library in {place} will open on Sundays from {month}, after {reason}.
/ Readers in {place} will be able to borrow books on Sundays from {month}, the public library
has announced.

It will be open from noon to five, with {extra} in the first hour.
/ The doors will be open between noon and five, and the first hour is set aside for {extra}.

{person}, who runs the branch, said most working families could only come at the weekend.
/ "Many of our members work all week and simply never see us," said head librarian {person}.

The longer hours will cost {cost} a year, most of it for wages.
/ The council has put aside {cost} a year to pay for the additional shifts.

So far {n} volunteers have offered to help with shelving.
/ A further {n} people have signed up as volunteers to put books back on the shelves.

If fewer than 80 people come on an average Sunday, the plan will be reviewed next year.
/ The experiment ends after twelve months unless at least 80 visitors come each Sunday.
""",
        summary="""
The library in {place} will open on Sundays from {month}.
/ From {month}, the public library in {place} will no longer be closed on Sundays.
/ Sunday opening starts at the {place} library in {month}.

<It|The library> will offer {extra} and cost the council an additional {cost} a year.
/ The longer week costs {cost} a year and brings {extra}.
/ The council pays {cost} a year for the new hours, which include {extra}.

The plan will be reviewed after a year.
/ It will be dropped next year if too few people come.
""",
    ),
    story(
        "bridge-closure",
        {
            "bridge": (
                "the old stone bridge",
                "the railway bridge on Mill Lane",
                "the footbridge by the swimming pool",
                "the narrow bridge at Ferry Street",
                "the iron bridge below the brewery",
            ),
            "fault": (
                "cracks in two of the supports",
                "rust in the main beams",
                "a loose parapet",
                "water damage under the roadway",
            ),
            "n": range(5, 15),
            "detour": ("four", "six", "seven", "eleven"),
        },
        article="""
{bridge} in {place} will be closed for {n} weeks after engineers found {fault}.
/ Engineers have found {fault} at {bridge} in {place}, which will now be closed for {n} weeks.

The work begins on {day} and will be carried out mostly during the day.
/ Barriers go up on {day} morning, and most of the work will be done in daylight.

Drivers must take a detour of {detour} kilometres through {other}.
/ Traffic will be sent through {other}, which adds {detour} kilometres to the journey.

Shop owners nearby fear that customers will stay away.
/ Several shopkeepers close to the site expect to lose customers.

"We looked at working at night, but the neighbours need their sleep," said engineer {person}.
/ {person}, the engineer in charge, said night shifts had been ruled out because of the noise.

Buses will stop at a temporary shelter on the near bank.
/ Bus passengers can use a temporary stop on the near side of the river.
""",
        summary="""
{bridge} in {place} is to close for {n} weeks because of {fault}.
/ Repairs will shut {bridge} in {place} for {n} weeks.
/ Because of {fault}, {bridge} in {place} will be out of use for {n} weeks.

Cars will be sent through {other}, a detour of {detour} kilometres.
/ Drivers face a detour of {detour} kilometres through {other}.
/ Traffic has to go through {other} instead, and nearby shops fear for their trade.

Work starts on {day}.
/ Night work was ruled out because of the noise.
""",
    ),
    story(
        "school-garden",
        {
            "school": (
                "Hillside Primary School",
                "the village school",
                "Meadow Road School",
                "St Bride's School",
                "the Riverside Academy",
            ),
            "crop": (
                "potatoes, beans and sunflowers",
                "carrots, onions and marigolds",
                "pumpkins, peas and herbs",
                "strawberries, chard and radishes",
            ),
            "prize": ("£500", "£750", "£1,200", "£2,000"),
            "n": range(22, 65),
        },
        article="""
Pupils at {school} in {place} have won {prize} for a garden they planted on a disused car park.
/ A garden planted by pupils on a disused car park has won {school} in {place} a prize of
{prize}.

The {n} children who looked after it grew {crop}.
/ Over the summer, {n} children grew {crop} in raised beds.

Parents brought the soil, and a local sawmill gave the timber.
/ The timber came from a local sawmill and the soil from parents.

Teacher {person} said the quietest children had turned out to be the keenest gardeners.
/ "Some who hardly speak in class were first at the gate each morning," said teacher {person}.

The judges praised the way the children measured and recorded what they grew.
/ What impressed the judges most was the careful diary that the class had kept.

The money will pay for a greenhouse, which should be ready in {month}.
/ A greenhouse, due in {month}, will be bought with the prize.
""",
        summary="""
Pupils at {school} in {place} have won {prize} for turning a car park into a garden.
/ {school} in {place} has won a prize of {prize} for a garden grown by its pupils.
/ A school garden on a former car park in {place} has won {prize}.

The {n} children grew {crop}, and the money will buy a greenhouse.
/ The prize will pay for a greenhouse, after {n} children raised {crop}.
/ With the help of parents, {n} children grew {crop} there.

The judges praised the diary kept by the class.
/ The greenhouse should be ready in {month}.
""",
    ),
    story(
        "storm",
        {
            "damage": (
                "blew the roof off a cow shed",
                "brought down the scaffolding at the town hall",
                "tore dozens of boats from their moorings",
                "flattened a row of market stalls",
            ),
            "n": range(180, 960, 20),
            "wind": ("104", "112", "118", "126", "131"),
            "hours": ("five", "seven", "nine", "eleven"),
        },
        article="""
A storm with gusts of {wind} kilometres an hour {damage} in {place} on {day} night.
/ Gusts of {wind} kilometres an hour {damage} in {place} during a storm on {day} night.

About {n} homes were without electricity for up to {hours} hours.
/ The power failed in about {n} homes and was not fully restored for {hours} hours.

Nobody was seriously hurt, but two people were treated for cuts.
/ Two people needed treatment for cuts; no serious injuries were reported.

The fire service answered 63 calls before dawn, most of them about fallen trees.
/ Most of the 63 calls to the fire service before dawn concerned fallen trees.

{person} of the regional weather office said the wind had turned earlier than expected.
/ According to {person} of the regional weather office, the storm arrived three hours early.

The road to {other} stayed shut until noon.
/ Fallen branches kept the road to {other} closed until midday.
""",
        summary="""
A storm {damage} in {place} on {day} night.
/ High winds in {place} {damage} on {day} night.
/ A storm that reached {wind} kilometres an hour hit {place} on {day} night.

About {n} homes lost power, and two people were treated for cuts.
/ It left about {n} homes without electricity for up to {hours} hours.
/ Two people were slightly hurt and {n} homes were without power.

The road to {other} was closed until noon.
/ The fire service was called out 63 times.
""",
    ),
    story(
        "football-final",
        {
            "club": (
                "{place} Rovers",
                "{place} United Ladies",
                "{place} Wanderers",
                "the {place} veterans",
                "{place} Athletic",
            ),
            "score": ("2-1", "3-2", "1-0", "4-3", "3-1"),
            "n": range(340, 1920, 20),
            "late": (
                "with four minutes left",
                "in the last minute",
                "in added time",
                "with the final kick of the match",
            ),
            "drought": ("nine", "fourteen", "twenty-two", "thirty"),
        },
        article="""
{club} won the district cup for the first time in {drought} years on {day}, beating {other}
{score}.
/ After a wait of {drought} years, the district cup belongs to {club} again: they beat {other}
{score} on {day}.

The winning goal came {late}, from substitute {person}.
/ Substitute {person} scored the winner {late}.

{other} had taken the lead before half-time and looked the stronger side.
/ At half-time {other} were ahead and seemed to be in control.

A crowd of {n} watched the match on a heavy pitch.
/ On a pitch soaked by rain, {n} spectators saw the match.

Coach {person2} said the team had trained in the school gym all winter.
/ "We spent the winter training in a school gym, so this feels like a dream," said coach
{person2}.

The players will show the cup at the market square on {day2}.
/ On {day2} the cup will be shown to supporters at the market square.
""",
        summary="""
{club} beat {other} {score} to win the district cup on {day}.
/ The district cup has gone to {club}, who beat {other} {score}.
/ {club} are district cup winners after a {score} win over {other}.

<They|{club}> scored the winning goal {late}, in front of {n} spectators.
/ Substitute {person} scored the decisive goal {late}.
/ It is their first title in {drought} years, and {person} scored the winner {late}.

The cup will be on show at the market square on {day2}.
/ The team had spent the winter training in a school gym.
""",
    ),
    story(
        "bakery",
        {
            "shop": (
                "the bakery on Castle Street",
                "a bookshop near the station",
                "the last butcher in the old town",
                "the hardware shop by the church",
                "a tailor's workshop on the quay",
            ),
            "years": ("41", "58", "63", "77", "92"),
            "buyer": (
                "three former apprentices",
                "a group of customers",
                "a young couple from {other}",
                "the owner's niece",
            ),
            "n": range(60, 250, 10),
        },
        article="""
After {years} years, {shop} in {place} has been saved from closing by {buyer}.
/ {shop} in {place}, which has been in business for {years} years, will not close after all:
{buyer} will take it over.

Owner {person}, who is retiring because of bad knees, had looked in vain for somebody to follow
{him}.
/ {person}, the owner, had spent two years looking for a successor before a bad knee forced the
decision.

When the news of the closure spread, {n} people signed a petition within a day.
/ A petition to keep the business open was signed by {n} people in one day.

The price was not made public.
/ Neither side wanted to say what was paid.

The new owners plan to keep the two employees and the creaking front door.
/ Both employees will stay, and so will the door, which is famous for its creak.

The shop opens again in {month}, after a coat of paint.
/ It will be repainted before it opens again in {month}.
""",
        summary="""
{shop} in {place} has been saved from closing by {buyer}.
/ {buyer} will take over {shop} in {place}.
/ After {years} years in business, {shop} in {place} has found new owners.

Owner {person} is retiring, but both employees will keep their jobs.
/ The new owners will keep both employees when it opens again in {month}.
/ Owner {person} had looked for a successor for two years.

Within a day, {n} people had signed a petition to keep it open.
/ The price was not made public.
""",
    ),
    story(
        "museum-find",
        {
            "find": (
                "a silver spoon",
                "a painted tile",
                "a carved oak box",
                "a clay whistle",
                "a bundle of letters",
            ),
            "spot": (
                "under the floor of a former stable",
                "in the attic of the rectory",
                "behind a wall in the old mint",
                "in a ditch beside the bypass",
            ),
            "age": ("200", "300", "350", "400", "600"),
            "n": range(3, 20),
        },
        article="""
Builders in {place} have found {find} that is about {age} years old {spot}.
/ {find}, thought to be about {age} years old, has come to light {spot} in {place}.

It has been handed over to the town museum, where it will be cleaned.
/ The town museum has received it and will begin by removing the dirt.

Curator {person} called it the most important discovery for decades.
/ "In my {n} years here I have never held anything like it," said curator {person}.

Nobody knows yet how it came to be there.
/ How it got there remains a mystery.

One theory is that it belonged to a merchant who left during a fire.
/ It may have been the property of a merchant who fled from a fire.

Visitors can see it from {month}, together with photographs of the site.
/ From {month} it will be on show beside photographs of the place where it was found.
""",
        summary="""
Builders have found {find} that is about {age} years old in {place}.
/ {find}, about {age} years old, has been discovered {spot} in {place}.
/ A discovery in {place}: builders came across {find} {spot}.

<It|{find}> is now at the town museum and will go on show in {month}.
/ The town museum will show it to visitors from {month}.
/ Curator {person} of the town museum called it the most important discovery for decades.

How it came to be there is not known.
/ The find may have belonged to a merchant who fled from a fire.
""",
    ),
    story(
        "bus-route",
        {
            "day": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
            "line": ("7", "12", "23", "31", "48"),
            "gap": (
                "the hospital",
                "the new housing estate",
                "the industrial park",
                "the further education college",
            ),
            "n": range(14, 40, 2),
            "vote": ("one vote", "two votes", "five votes"),
        },
        article="""
Bus line {line} will run from {place} to {gap} again, a year after it was cut to save money.
/ A year after it was cut, bus line {line} between {place} and {gap} is coming back.

Councillors approved the change on {day} with a majority of {vote}.
/ The decision was taken on {day}, with a majority of {vote}.

There will be {n} trips on weekdays, the last of them at eleven at night.
/ On weekdays the timetable has {n} trips, and the last bus leaves at eleven at night.

Passengers had complained that they needed two changes to reach {gap}.
/ Without it, the trip had taken two changes and nearly an hour.

{person}, who led the campaign, brought a cake in the shape of a bus to the meeting.
/ Campaigner {person} celebrated with a cake in the shape of a bus.

The service starts in {month} and will be counted again after six months.
/ Six months after the start in {month}, passengers will be counted again.
""",
        summary="""
Bus line {line} between {place} and {gap} is to return.
/ Councillors have decided to bring back bus line {line} from {place} to {gap}.
/ From {month}, bus line {line} will again connect {place} with {gap}.

<It|Bus line {line}> will make {n} trips on weekdays, until eleven at night.
/ There will be {n} trips on weekdays, and the decision was made by a majority of {vote}.
/ <It|Bus line {line}> had been cut a year ago to save money, which led to complaints.

Passengers will be counted again after six months.
/ The council approved it with a majority of {vote}.
""",
    ),
    story(
        "health-centre",
        {
            "service": (
                "a walk-in clinic",
                "a children's clinic",
                "a physiotherapy unit",
                "a dental practice",
                "a night pharmacy",
            ),
            "before": ("35", "42", "50", "65"),
            "n": range(4, 12),
            "jobs": ("twelve", "fifteen", "nineteen", "twenty-four"),
        },
        article="""
The health centre in {place} has opened {service} so that patients no longer have to travel
{before} kilometres.
/ Patients in {place} who used to travel {before} kilometres can now use {service} at the local
health centre.

It has {n} rooms and created {jobs} jobs.
/ With {n} rooms, it has brought {jobs} new jobs to the town.

On the first morning there was a queue before the doors opened.
/ People were already waiting outside when the doors opened on the first morning.

Doctor {person} said nurses would see minor cases first.
/ "A nurse will look at everybody within twenty minutes," promised doctor {person}.

The building was paid for by the region and a gift from a former patient.
/ Regional funds and a gift from a former patient paid for the building.

Parking remains a problem, and the centre asks visitors to come by bus.
/ Because there are few parking spaces, visitors are asked to take the bus.
""",
        summary="""
The health centre in {place} now has {service}.
/ {service} has opened at the health centre in {place}.
/ Patients in {place} can now use {service} close to home.

<It|The health centre> has {n} rooms, created {jobs} jobs and saves people a trip of {before}
kilometres.
/ Until now patients had to travel {before} kilometres.
/ The new unit has {n} rooms and {jobs} new members of staff.

Visitors are asked to come by bus because parking is short.
/ Nurses will see minor cases first.
""",
    ),
    story(
        "harbour",
        {
            "cargo": ("timber", "salt", "grain", "wind turbine blades", "recycled glass"),
            "depth": ("two", "three", "four"),
            "n": range(11, 35),
            "fund": ("£3.2 million", "£4.6 million", "£7.5 million", "£9.1 million"),
        },
        article="""
The harbour at {place} will be made {depth} metres deeper so that larger ships can bring in
{cargo}.
/ Larger ships carrying {cargo} will be able to use the harbour at {place} once it has been made
{depth} metres deeper.

The harbour board expects {n} more calls a year and a rise in fees.
/ According to the harbour board, {n} additional ships a year will call and pay fees.

Dredging costs {fund}, of which the state pays half.
/ The state will pay half of the {fund} that the dredging costs.

Fishing crews worry that the mud will be dumped on their grounds.
/ Among the fishing crews there is concern about where the mud will go.

"We will measure the water every day and stop if it turns cloudy," said harbour master {person}.
/ Harbour master {person} promised daily measurements and a halt if the water turned cloudy.

The work is due to begin in {month} and to last through two winters.
/ Dredgers are expected in {month} and will need two winters.
""",
        summary="""
The harbour at {place} is to be made {depth} metres deeper for ships carrying {cargo}.
/ Dredging will let larger ships with {cargo} into the harbour at {place}.
/ {place} will deepen its harbour by {depth} metres to attract larger ships.

The work costs {fund} and begins in {month}, but fishing crews are worried about the mud.
/ Half of the {fund} will come from the state, and work starts in {month}.
/ The harbour board hopes for {n} more ships a year, while fishing crews fear for their grounds.

The water will be measured every day.
/ It will take two winters.
""",
    ),
    story(
        "farm-cheese",
        {
            "animal": ("goats", "sheep", "cows", "water buffalo"),
            "product": ("a hard cheese", "a blue cheese", "a smoked yoghurt", "a salted butter"),
            "n": range(24, 164, 4),
            "rival": ("71", "130", "212", "305"),
        },
        article="""
{product} from a family farm near {place} has won first prize at the national dairy fair.
/ A family farm near {place} has won first prize at the national dairy fair with {product}.

{person} makes it from the milk of {n} {animal} that graze on the hills above {other}.
/ The milk comes from {n} {animal} that {person} keeps on the hills above {other}.

The jury had to taste {rival} entries without knowing who had made them.
/ Tasting blind, the jury chose it from among {rival} entries.

{person} took up the trade only six years ago, after working as a bus driver.
/ Until six years ago {person} drove a bus for a living.

Orders have been coming in so fast that the farm shop was sold out by {day}.
/ By {day} nothing was left in the farm shop.

There are no plans to grow, because the hills can feed only so many animals.
/ The farm will stay small, since the pasture does not allow a larger herd.
""",
        summary="""
A farm near {place} has won the national dairy fair with {product}.
/ First prize at the national dairy fair has gone to {person}, who makes {product} near {place}.
/ {product} made near {place} is the best in the country, according to the national dairy fair.

<It|{product}> is made from the milk of {n} {animal} and was chosen from {rival} entries.
/ The jury tasted {rival} entries blind, and the farm shop has since sold out.
/ <It|{product}> comes from a herd of {n} {animal} that graze above {other}.

The farm does not plan to grow.
/ By {day} the farm shop had sold out.
""",
    ),
    story(
        "council-budget",
        {
            "day": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
            "cut": (
                "the town fireworks",
                "two vacant posts in the planning office",
                "the mayor's car",
                "a study about a ring road",
                "the printed council newspaper",
            ),
            "keep": (
                "the swimming pool",
                "the music school",
                "the youth club",
                "the night bus",
                "the mobile library",
            ),
            "gap": ("£640,000", "£1.1 million", "£1.8 million", "£2.4 million"),
            "n": range(3, 10),
        },
        article="""
The council in {place} has closed a gap of {gap} in its budget by giving up {cut}.
/ By giving up {cut}, the council in {place} has closed a gap of {gap} in its budget.

A proposal to shut {keep} was withdrawn after a long debate on {day}.
/ On {day}, after a long debate, a proposal to close {keep} was taken off the table.

Residents had filled the gallery, and {n} of them spoke.
/ The public gallery was full, and {n} residents addressed the meeting.

Mayor {person} said nobody had got everything they wanted.
/ "It is a budget that makes everybody a little unhappy," said mayor {person}.

Parking fees will rise by ten per cent from {month}.
/ From {month}, parking will cost ten per cent more.

The opposition voted against the plan and called the fees a tax on shoppers.
/ Opposition members, who voted against, spoke of a tax on shoppers.
""",
        summary="""
The council in {place} has balanced its budget by giving up {cut}.
/ {place} will give up {cut} to close a gap of {gap} in its budget.
/ A gap of {gap} in the budget of {place} has been closed.

<It|The council> also decided to keep {keep} open and to raise parking fees.
/ Parking fees will rise by ten per cent, but {keep} is safe.
/ A proposal to shut {keep} was withdrawn after a long debate.

The opposition voted against it.
/ The opposition called the fees a tax on shoppers.
""",
    ),
    story(
        "lost-dog",
        {
            "animal": (
                "a terrier called Biscuit",
                "a grey parrot called Admiral",
                "a tortoise called Gladys",
                "a ginger cat called Marmalade",
                "a spaniel called Pepper",
            ),
            "where": (
                "in the boiler room of a school",
                "on the roof of a supermarket",
                "in a garden shed",
                "on a ferry",
                "in the waiting room of a dentist",
            ),
            "n": range(9, 49),
            "km": ("three", "eight", "fourteen", "thirty"),
        },
        article="""
{animal} has been found {where} in {other}, {n} days after going missing in {place}.
/ {n} days after going missing in {place}, {animal} has turned up {where} in {other}.

It had travelled at least {km} kilometres, and nobody can say how.
/ How it covered {km} kilometres is anybody's guess.

The owner, {person}, had put up posters as far away as the coast.
/ Posters put up by the owner, {person}, had reached as far as the coast.

A vet who examined the animal found it thin but in good spirits.
/ Apart from some lost weight, the animal is well, according to a vet.

The finder refused the reward and asked for a photograph instead.
/ Instead of the reward, the finder wanted only a photograph.

On {day} there was a small party with the neighbours.
/ The neighbours celebrated the return with a small party on {day}.
""",
        summary="""
{animal} has been found {n} days after going missing in {place}.
/ {animal}, missing from {place} for {n} days, has been found {where}.
/ After {n} days, {animal} is back home in {place}.

The animal was discovered in {other}, thin but in good spirits.
/ <It|{animal}> had travelled at least {km} kilometres, and owner {person} had put up posters
everywhere.
/ <It|{animal}> turned up in {other}, {km} kilometres away, and a vet found it in good spirits.

The finder refused a reward.
/ Nobody knows how it got there.
""",
    ),
    story(
        "solar-roof",
        {
            "roof": (
                "the roof of the ice rink",
                "the roofs of four schools",
                "the roof of the fire station",
                "the barn of the cattle market",
                "the roof of the bus depot",
            ),
            "share": ("a fifth", "a quarter", "a third", "nearly half"),
            "n": range(120, 790, 10),
            "firm": (
                "a cooperative of residents",
                "the municipal works",
                "a group of retired engineers",
                "an energy club founded by students",
            ),
        },
        article="""
{firm} will put {n} solar panels on {roof} in {place}.
/ In {place}, {n} solar panels are to be fitted on {roof} by {firm}.

They should cover {share} of the electricity used by public buildings.
/ The electricity will meet {share} of the needs of public buildings.

People can buy a share for £50 and are promised a return of three per cent.
/ Shares cost £50 each, and three per cent a year is the expected return.

{person}, who looks after the finances, said most of the shares had gone within a week.
/ Within a week most of the shares had been sold, according to treasurer {person}.

The fire service asked for a wider gap along the edge, which changed the plans.
/ Because the fire service asked for a wider gap at the edge, the plans had to be redrawn.

The first current should flow in {month}.
/ If the weather holds, the panels will be connected in {month}.
""",
        summary="""
{firm} will install {n} solar panels on {roof} in {place}.
/ {place} is to get {n} solar panels on {roof}.
/ Solar panels on {roof} will supply public buildings in {place}.

<They|The solar panels> will meet {share} of the needs of public buildings from {month}.
/ <They|The solar panels> should deliver {share} of the electricity for public buildings, and
residents can buy
shares for £50.
/ Residents can take part with £50, and most of the shares went within a week.

The first current should flow in {month}.
/ The plans were changed at the request of the fire service.
""",
    ),
)
