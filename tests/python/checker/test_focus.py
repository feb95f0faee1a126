"""Contrasts between a question and a text: those that rules can see are refused, and no right answer is.

Each pair is one line, `question => text`. In a text, "X >> Y" is the sentence Y after the sentence X, "{X} Y" stands under
the title X, and "X // Y" is the row Y of a table with the column names X. A text is refused when it is about a counterpart
(`astray`), lacks the form that is asked for (`lacking`), or lacks a year, number or name of the question.

Known, and not seen by rules: who did it to whom, where both are named ("Did Alpha sue Beta" by "Beta sued Alpha"); nouns
that exclude each other by what the world is like (a kitchen is no bathroom) outside of a phrase that the question has too;
a right phrase about another time that only the page shows; attributes that share no word ("tonnage" for "length"),
nor another object of an active verb's preposition ("spent on research" for "spend on marketing").
"""

from __future__ import annotations

import pytest

from knarr.checker.constraints import needs
from knarr.checker.evidence import Ground, direct
from knarr.checker.focus import astray, contrast
from knarr.checker.form import lacking
from knarr.language.sentences import leans_back

REFUSED = {
    "another role": """
Who is the head of the workshop? => The head of the depot is Olga Nilsen.
Who is the head of the workshop? => Olga Nilsen is the head of the depot.
Who is the head of the workshop? => The head of the workshop was named before. >> The head of the depot is Olga Nilsen.
Who is the head of the workshop? => The deputy head of the workshop is Olga Nilsen.
Who is the president? => The vice president is Ada Lind.
Who is the director of the museum? => The former director of the museum is Ada Lind.
Who is the treasurer? => The secretary is Ada Lind.
Who is the captain of the ferry? => The captain of the tugboat is Jon Berg.
Who is the owner of the mill? => The owner of the quarry is Jon Berg.
Who is the head of the workshop? => | Unit | Head | // | Depot | Olga Nilsen |
""",
    "another day or time": """
When does the office open on Saturday? => On Sunday the office opens at ten.
When does the office open on Saturday? => On Saturday the office opens at nine. >> On Sunday it opens at ten.
When is the pool open on Mon? => Tuesday: 10:00 to 18:00
When is the market in June? => The market in July is on the fifth.
When does the ferry leave in the morning? => In the evening the ferry leaves at 19:30.
What are the opening hours in winter? => Opening hours in summer are 9 to 20.
When is the Feb meeting? => The March meeting is on 12 March.
What is served on weekends? => On weekdays soup is served.
""",
    "another party": """
How many days of notice must the tenant give? => The landlord must give 90 days of notice.
How many days of notice must the lessee give? => The lessor must give 90 days of notice.
What must the buyer pay? => The seller must pay the costs of transport.
Who insures the goods for the buyer? => The vendor insures the goods for the seller.
How many days of leave does a manager get? => A trainee gets 20 days of leave.
What does the licensee owe? => The licensor owes an answer within ten days.
What may the contractor refuse? => The client may refuse changes in writing.
How much does the employer contribute? => Employees contribute 4 % of their wages.
""",
    "another year, version or label": """
What was the revenue in 2025? => The revenue in 2023 was 41 million euros.
What was the revenue in 2025? => {Report 2024} The revenue was 47 million euros.
What is the default timeout in version 2.1? => In version 1.9 the default timeout is ten seconds.
What is the fare in zone 2? => The fare in zone 1 is 3 crowns.
What is the fare in zone two? => The fare in zone 1 is 3 crowns.
What does annex B list? => Annex A lists the boats.
What does schedule II list? => Schedule I lists the boats.
Which ships use pier 4? => Pier 14 is used by the mail ships.
What is covered in week 5? => Weeks 1-3: words and sentences
Who teaches section 12? => Section 11 is taught by Ada Lind.
When is essay 2 due? => | Essay 1 | 5 May | // | Essay 3 | 9 June |
When was phase III begun? => Phase II was begun in May.
""",
    "antonyms": """
What is the minimum age? => The maximum age is 65 years.
What is the highest point of the route? => The lowest point of the route is 4 metres.
When does the museum open? => The museum closes at 18:00.
When does the lease begin? => The lease ends on 30 April 2025.
What is the late fee? => The early fee is two crowns.
Which entrance do lorries use? => The exit for lorries is on the north side.
Which is the oldest boat of the fleet? => The newest boat of the fleet is the Tern.
What is the fee for paid members? => The fee for unpaid members is 9 crowns.
What do members pay? => Non-members pay 20 crowns.
What do non-members pay? => Members pay 12 crowns.
What is the indoor temperature? => The outdoor temperature is 12 degrees.
What was the increase in staff? => The decrease in staff was 12.
What is the import duty? => The export duty is 4 %.
What is the planned cost? => The actual cost was 12 crowns.
What is the direct cost of a trip? => The indirect cost of a trip is 4 crowns.
Which wine is dry? => The sweet wine is the Muscat.
""",
    "another row": """
What is the price of the island ferry? => | Class | Seats | Price | // | harbour ferry | 40 | 12 crowns |
What does the island ferry cost? => The harbour ferry costs 12 crowns.
What does the coffee cost? => | Drink | Price | // | tea | 2 crowns |
What is the fare for seniors? => | Passenger | Fare | // | Adult | 22 |
What is the weight of the midterm? => | Part | Weight | // | Homework | 30 % |
How many seats has the red bus? => | Bus | Seats | // | blue bus | 50 |
Who leads the brewery team? => | Team | Leads | // | bakery team | Ada Lind |
""",
    "another column": """
What is the child fare to the island? => | To | Adult fare | // | Island | 22 |
What is the fare for a child? => The adult fare is 22 crowns.
What was the profit of the mill? => The revenue of the mill was 4 million crowns.
What was the net income? => The gross income was 9 crowns.
What is the fee in the first year? => | | Second year | // | Fee | 30 |
What is the departure time? => | | Arrival time | // | Ferry | 10:40 |
What is the male population? => | | Female population | // | Isle | 400 |
""",
    "another measure": """
What is the rent per month? => The rent is 300 crowns per week.
What is the rent per month? => The weekly rent is 300 crowns.
What is the hourly wage? => The wage is 2,000 crowns a month.
What is the total price? => The price is 40 crowns per person.
What is the price per person? => The total price is 400 crowns.
What does a single ticket cost? => A double ticket costs 40 crowns.
What is the annual fee? => The monthly fee is 4 crowns.
""",
    "another person of that name": """
When was Ada Lind born? => Peter Lind was born in 1950.
Who trained Astrid Solberg? => Ingrid Solberg was trained by Jon Berg.
Where does Dr. Anna Berg work? => Dr. Peter Berg works in Moss.
""",
    "before and after, from and to": """
What must be done before leaving the cabin? => After leaving the cabin the key is handed in.
What is the fare from Isle to Cape? => The fare from Cape to Isle is 22 crowns.
What is the fare from Isle to Cape? => | Route | Fare | // | Cape to Isle | 22 |
What is the fare from Isle to Cape? => | Route | Fare | // | Cape – Isle | 22 |
How long is the trip from the harbour to the lighthouse? => From the lighthouse to the harbour the trip takes 20 minutes.
What is the price including tax? => The price excluding tax is 9 crowns.
What is the rent with heating? => The rent without heating is 900 crowns.
What is stored above deck? => Ropes are stored below deck.
What is the fee after the deadline? => Before the deadline the fee is 4 crowns.
""",
    "all kinds": """
Who chairs the audit committee? => The nomination committee is chaired by Eva Moe.
Who is the manager of the north branch? => The manager of the south branch is Eva Moe.
Who is responsible for the kitchen? => Eva Moe is responsible for the laundry.
Who maintains the boiler? => Eva Moe maintains the elevator.
What is the password policy for administrators? => The password policy for guests is eight characters.
What is the speed limit in the harbour? => The speed limit in the channel is 8 knots.
How many rooms does the east wing have? => The west wing has 40 rooms.
How many students may join the evening course? => Up to 20 students may join the morning course.
When does registration close? => Registration opens on 3 May.
When was the treaty signed? => The treaty was ratified by all members.
What is the minimum deposit? => The maximum deposit is 5,000 crowns.
What is the deposit for a double room? => The deposit for a single room is 100 crowns.
What temperature must the freezer have? => The refrigerator must have a temperature of 4 degrees.
What is the warranty on the battery? => The warranty on the motor is five years.
How long is the warranty of the battery? => The motor has a warranty of five years.
How much does the company owe to Alpha Bank? => The company owes 4 million to Beta Bank.
What is the capacity of tank 3? => Tank 2 holds 400 litres.
What is the capacity of tank C? => Tank B holds 400 litres.
What was the profit in Q3? => The profit in Q2 was 4 million.
What was the profit in the third quarter? => In the second quarter the profit was 4 million.
What is the phone number of the library? => The phone number of the museum is 555 0100.
What is the email of the registrar? => The email of the bursar is b@example.org.
Which colour is the port light? => The starboard light is green.
What is the interest rate on savings? => The interest rate on loans is 4 %.
What is the fee for residents? => The fee for non-residents is 40 crowns.
When is checkout? => Check-in is from 15:00.
What is the price of the large pizza? => The small pizza costs 9 crowns.
What is the dose for children? => The dose for adults is 20 mg.
What is the dose for children? => | Group | Dose | // | Adults | 20 mg |
Who wrote the second edition? => The first edition was written by Eva Moe.
What is the budget for 2024/25? => The budget for 2022/23 is 4 million.
What was the population in 1990? => The population in 1980 was 4,000.
What is the distance from Moss to Vardo? => The distance from Moss to Oslo is 60 km.
How many days of sick leave do I get? => You get 25 days of parental leave.
Which dental insurance is included? => The health insurance is with Nord.
How much is the weekend rate? => The weekday rate is 90 crowns.
What happens if the tenant dies? => If the landlord dies, the lease goes on.
How many votes did the winner get? => The loser got 400 votes.
What is the height of the tower? => The width of the tower is 4 metres.
What is the wage of a senior clerk? => A junior clerk earns 3,000 crowns.
Who was the coach before Eva Moe? => The coach after Eva Moe was Jon Berg.
What is due at the end of the course? => At the beginning of the course a form is due.
What is the rate for the first 100 units? => The rate for the next 100 units is 3 crowns.
""",
    "another form": """
When was the harbour opened? => The harbour was opened by the mayor.
How many berths are there? => There are berths for boats of any size.
Who is the harbour master? => The harbour master is at the office daily.
""",
}

STANDS = {
    "paraphrase": """
Who is the head of the workshop? => The workshop is led by Olga Nilsen.
Who is the head of the workshop? => Olga Nilsen leads the workshop.
Who is the head of the workshop? => Olga Nilsen, head of the workshop, signs all orders.
Who is the head of the workshop? => The head of the workshop is Olga Nilsen, and that of the depot Jon Berg.
Who is the author of Harbour Lights? => Harbour Lights was written by Ada Lind.
Who is the owner of the mill? => The mill belongs to Jon Berg.
Who is the owner of the mill? => Jon Berg owns the mill.
Who is the instructor? => Professor: Ada Lind, office hours by appointment
Who is the chair? => Ada Lind chairs the board.
Who founded the brewery? => The brewery was founded by Ada Lind in 1902.
When does the lease end? => The lease begins on 1 May 2020 and continues until 30 April 2025.
When does the lease end? => The term expires on 30 April 2025.
How long does a loan last? => Equipment may be kept for fourteen days.
How often is the filter changed? => The filter is changed twice a year.
What happens after the deadline? => Late papers lose five points a day.
How can I reach the office? => Call 555 0100 between nine and four.
Why was the trip cancelled? => The storm closed the harbour.
What is the late fee? => Two crowns are charged for each day after the due date.
""",
    "synonyms": """
How many days of notice must the lessee give? => The tenant must give 90 days of notice.
How many days of notice must the tenant give? => The lessee must give 90 days of notice.
What must the buyer pay? => The purchaser must pay the costs of transport.
How many parcels were sent? => In May 4,000 packages were sent.
What was the turnover in 2024? => The revenue in 2024 was 47 million euros.
What were the sales of the mill? => The turnover of the mill was 4 million crowns.
What is the minimum age? => The min. age is 16.
What is the yearly fee? => The annual fee is 40 crowns.
What is the fee per month? => The monthly fee is 4 crowns.
What is the monthly rent? => The rent is 300 crowns a month.
What is the fare for kids? => A child pays 11 crowns.
When is the autumn market? => The market in the fall is on 3 October.
Which is the rear door? => The back door is painted green.
""",
    "active and passive": """
Who repairs the nets? => The nets are repaired by the crew of the Tern.
Who must pay the rent? => The rent must be paid by the tenant.
What did Jon Berg build? => The pier was built by Jon Berg.
Which company supplies the rope? => Rope is supplied by Nilsen Ropes Ltd.
""",
    "the sentence before": """
Who is the head of the workshop? => The head of the workshop was elected in May. >> She is Olga Nilsen.
When does the office open on Saturday? => Saturday is a short day. >> It opens at ten.
What must the tenant pay? => The tenant signs first. >> He must pay 900 crowns.
When is the second essay due? => The second essay is on rivers. >> It is due in week 9, after the first break.
""",
    "the heading": """
What is the fee in zone 2? => {Zone 2} The fee is 4 crowns.
When is the office open on Saturday? => {Saturday} Nine to twelve.
What must the tenant do? => {Duties of the tenant} The windows must be cleaned in spring.
What was the revenue in 2024? => {Report 2024} The revenue was 47 million euros.
What is the default timeout in version 2.1? => {Widget 2.1.0} The default timeout is thirty seconds.
Who is the head of the workshop? => {Workshop} The head is Olga Nilsen.
""",
    "column names and rows": """
What is the adult fare to the island? => | To | Adult | Child | // | Island | 22 | 11 |
What is the child fare to the island? => | To | Adult | Child | // | Island | 22 | 11 |
What is the price of the island ferry? => | Class | Seats | Price | // | island ferry | 90 | 30 crowns |
What is the fare from Isle to Cape? => | Route | Fare | // | Isle to Cape | 22 |
What is the fare from Isle to Cape? => | From | To | Fare | // | Isle | Cape | 22 |
What is the weight of the midterm? => | Part | Weight | // | Midterm exam | 30 % |
Who is the head of the workshop? => | Unit | Head | // | Workshop | Olga Nilsen |
What is covered in week 5? => | Week | Topic | // | 5 | Rivers |
What does the coffee cost? => | Item | Price | // | Coffee, large | 3 crowns |
When is the first exam? => | Date | What | // | 5 May | Exam 1 |
""",
    "plural, abbreviation, number words": """
When is the pool open on Mon? => Monday: 10:00 to 18:00
When is the pool open on Mondays? => Mon, Wed and Fri from ten to six
When is the pool open on Wednesday? => Monday to Friday: 10:00 to 18:00
When is the pool open on Wednesday? => Mon–Fri 10:00–18:00
When is the pool open on Wednesday? => The pool is open daily from ten to six, on Sunday until four.
When is the shop open at the weekend? => On Saturday the shop is open from 9 to 12.
When is the shop open on Saturday? => On weekends the shop is open from 9 to 12.
When is the shop open on Tuesday? => On weekdays the shop opens at 9.
What is the rate in February? => From January to March the rate is 4 %.
What is the fare in zone two? => The fare in zone 2 is 3 crowns.
What does schedule 2 list? => Schedule II lists the boats.
What does lab 3 cover? => Labs 1-5 cover mosses.
What does lab 3 cover? => Labs 2, 3 and 4 cover mosses.
What is covered in chapter 3? => Chapter 3.2 covers tides and 3.4 winds.
When is the 2nd essay due? => The second essay is due on 5 May.
What are employees entitled to? => Each employee is entitled to 25 days of leave.
Who was chair in 2021? => Ada Lind was chair from 2019 to 2023.
""",
    "both are named": """
What is the fare for a child? => Adults pay 22 crowns, children 11.
When does the office open on Saturday? => The office opens at eight, on Saturday at nine and on Sunday at ten.
What is the price including tax? => The price is 9 crowns excluding tax and 11 including it.
What is the fare from Isle to Cape? => Isle to Cape and Cape to Isle cost 22 crowns each.
What is the difference between the adult and the child fare? => The adult fare is 22 crowns, that of a child 11.
How many days before the trip can I cancel? => A trip can be cancelled until ten days before it, not after.
What is the total price? => The price is 40 crowns per person and 400 in total.
What percentage of the total grade is each quiz? => Each quiz is worth 5 % per student.
""",
    "all kinds": """
Who chairs the audit committee? => The audit committee is chaired by Eva Moe.
Who is the manager of the north branch? => The north branch is managed by Eva Moe.
Who maintains the boiler? => Maintenance of the boiler is done by Eva Moe.
What is the fee for residents? => Residents pay 20 crowns, non-residents 40.
When does registration close? => Registration is open until 5 May.
When does registration close? => The deadline for registration is 5 May.
When does registration open? => You can register from 3 May.
When is the office open? => The office closes at five and opens at nine.
When is the office open? => Office hours: Tue 9-12
What is the deposit for a double room? => Double: 100 crowns
How many days of sick leave do I get? => Employees have ten days of leave for illness each year.
What is the dose for children? => | Group | Dose | // | Children under 12 | 10 mg |
What is the dose for a child? => | | Adults | Children | // | Dose | 20 mg | 10 mg |
What is the height of the tower? => The tower is 40 metres high.
How tall is the tower? => The tower has a height of 40 metres.
What is the phone number of the library? => Library: tel. 555 0100
What did the company spend on marketing? => Marketing expenses were 4 million.
How much does a ticket cost? => Tickets are 9 crowns each.
How much does a ticket cost per day? => A day ticket costs 9 crowns.
What is the annual salary? => The salary is 400,000 crowns per year.
What is the penalty for late payment? => If rent is paid late, 2 % interest is due.
Who approves travel? => Travel is approved by the head of the department.
Who is the contact for the course? => For questions about the course, email Eva Moe.
Who teaches the course? => Instructor: Eva Moe
Who is the professor? => Instructor: Eva Moe
What is the name of the TA? => Teaching assistant: Jon Berg
When is the final exam? => The final is on 12 May.
When are the exams? => Exam 1 is on 5 March, exam 2 on 9 April.
What is the last day to drop? => Classes may be dropped until 5 May.
How many exams are there? => There will be two midterms and a final.
How is the grade computed? => Homework counts 40 %, the exams 60 %.
What percentage is homework? => | Part | Weight | // | Homework | 40 % |
How much is the midterm worth? => | Exam 1 (midterm) | Exam 2 | // | 20 % | 30 % |
What is the minimum grade to pass? => At least a C is needed to pass.
What is the maximum number of guests? => Up to 40 guests are allowed.
What is the maximum number of guests? => No more than 40 people may enter.
What happens at the end of the lease? => When the lease expires, the tenant returns the keys.
What is covered on the first day? => Day 1: introduction and rules
What is covered in the third week? => Week 3: rivers
What are the textbooks for the class? => The class has no textbook.
Where is the class held? => MWF 10:10, Hall 4
What time is class? => TuTh 10:00-11:15
Do I need a calculator? => A calculator is not needed.
How long is the lease? => The term of this agreement is five years from 1 May 2020.
What is the total value of the contract? => The contract is worth 4 million crowns.
What did the study find about women? => Men and women did equally well.
Which dataset is used for training? => We train on SQuAD and test on TriviaQA.
What is the training set size? => The model was trained with 10,000 examples.
What accuracy does the model reach on the test set? => It gets 91 % on test and 93 % on dev.
Which party may terminate the agreement? => Either party may terminate this agreement with 30 days of notice.
What is the notice period? => This agreement may be ended with 30 days of written notice.
Who is the licensor? => This agreement is made between Alpha Ltd ("Licensor") and Beta Ltd ("Licensee").
What is the effective date? => This agreement is effective as of 1 May 2020.
What is the governing law? => This agreement is governed by the laws of Norway.
What is the expiration date? => The agreement ends on 30 April 2025.
How much was revenue in fiscal 2024? => FY24 revenue was 47 million.
What is the weight of homework in the total grade? => Homework 30%
How do I reach the north pier from the south pier? => Walk from the south pier along the quay to the north pier.
What was Q2 revenue? => Revenue in the second quarter was 4 million.
""",
    "words that only look like a contrast": """
In which week may I hand in late work? => Late work is taken until the last week of May.
How much is the final exam worth? => The exam at the end is worth 30 % of the grade.
When is the second essay due? => The second essay is due in the first week of June.
What should I march with? => In April walkers should carry a drum.
May I bring a guest, and what does it cost? => In June a guest costs 4 crowns.
Who may sign for the company? => The directors may sign for it, two at a time.
What is the weight of the exam? => For the group project 20 %, for the exam 30 %.
What is the left engine called? => The left engine is called Port, and it is right above the tank.
""",
}


def _pairs(blocks: dict[str, str]) -> list[tuple[str, str, str]]:
    return [
        (kind, *map(str.strip, line.split("=>", 1)))
        for kind, block in blocks.items()
        for line in block.strip().splitlines()
    ]


def _ground(text: str) -> tuple[Ground, str]:
    """What a line's text stands for, and the sentence before it."""
    title, _, rest = text[1:].partition("} ") if text.startswith("{") else ("", "", text)
    before, _, quote = rest.rpartition(" >> ")
    quote = quote.replace(" // ", "\n")
    near = f"{before} {quote}".strip()
    if leans_back(quote):  # then both are quoted
        quote = near
    titles = (title,) if title else ()
    return Ground("viking://lib/d/d_1.md", quote, near, titles, "viking://lib/d/"), before


def refusal(question: str, text: str) -> str:
    ground, before = _ground(text)
    hard = [need for need in needs(question) if need.hard and need.want != "absence"]
    unmet = [need.text for need in hard if not direct(need, [ground]).met]
    return astray(question, ground, before) or lacking(question, [ground]) or ", ".join(unmet)


@pytest.mark.parametrize(("kind", "question", "text"), _pairs(REFUSED))
def test_a_counterpart_is_refused(kind: str, question: str, text: str) -> None:
    assert refusal(question, text)


@pytest.mark.parametrize(("kind", "question", "text"), _pairs(STANDS))
def test_a_right_answer_stands(kind: str, question: str, text: str) -> None:
    assert not refusal(question, text)


def test_there_are_as_many_pairs_as_promised() -> None:
    assert len(_pairs(REFUSED)) + len(_pairs(STANDS)) >= 220


def test_the_reason_names_both_sides() -> None:
    ground, _ = _ground("The landlord must give 90 days of notice.")
    found = contrast("How many days of notice must the tenant give?", ground)
    assert found is not None and str(found) == "the text speaks of “landlord”, not of “tenant”"
