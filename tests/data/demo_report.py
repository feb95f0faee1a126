"""The annual report of the demo library, a PDF."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from fpdf import FPDF
from fpdf.enums import TableBordersLayout, XPos, YPos
from fpdf.fonts import FontFace

Rows = Sequence[Sequence[str]]

REVENUE: Rows = [
    ("Thousand euros", "2023", "2024", "2025"),
    ("Instruments", "6,940", "7,310", "7,085"),
    ("Buoy service", "2,150", "2,480", "3,120"),
    ("Repairs and calibration", "880", "915", "1,040"),
    ("Training", "210", "260", "245"),
    ("Total revenue", "10,180", "10,965", "11,490"),
]
COSTS: Rows = [
    ("Thousand euros", "2023", "2024", "2025"),
    ("Staff", "5,420", "5,890", "6,210"),
    ("Materials", "2,610", "2,740", "2,590"),
    ("Boats and harbour", "590", "640", "705"),
    ("Other", "910", "935", "980"),
    ("Total costs", "9,530", "10,205", "10,485"),
    ("Operating result", "650", "760", "1,005"),
]
FLEET: Rows = [
    ("Area", "Moored", "Drifting", "Lost in 2025"),
    ("Skarholm Sound", "3", "4", "1"),
    ("Outer Banks", "5", "9", "3"),
    ("Harbours on trial", "4", "0", "0"),
]
AVAILABILITY: Rows = [
    ("Month", "2024, percent", "2025, percent"),
    ("January", "-", "97.8"),
    ("February", "-", "95.4"),
    ("March", "-", "97.2"),
    ("April", "97.4", "98.6"),
    ("May", "98.2", "99.1"),
    ("June", "98.0", "99.3"),
    ("July", "97.9", "98.8"),
    ("August", "97.5", "98.9"),
    ("September", "96.8", "98.2"),
    ("October", "95.1", "97.4"),
    ("November", "93.0", "94.2"),
    ("December", "91.0", "97.1"),
]
LOANS: Rows = [
    ("Class", "Loans 2024", "Loans 2025", "Late in 2025"),
    ("1, hand-held meters", "412", "455", "31"),
    ("2, profilers and winches", "138", "151", "15"),
    ("3, buoys and masts", "47", "62", "9"),
    ("4, calibration standards", "29", "33", "3"),
    ("All classes", "626", "701", "58"),
]
PEOPLE: Rows = [
    ("", "2023", "2024", "2025"),
    ("Staff at the end of the year", "64", "69", "73"),
    ("Days at sea", "1,120", "1,245", "1,310"),
    ("Accidents with lost time", "3", "2", "1"),
    ("Near misses reported", "41", "57", "66"),
]
ENERGY: Rows = [
    ("", "2024", "2025"),
    ("Electricity, megawatt hours", "486", "451"),
    ("Diesel for boats, thousand litres", "92", "88"),
    ("Buoys recovered of those lost, percent", "61", "72"),
]

# One entry per heading: (level, title, pieces), a piece being a paragraph or a table with its caption.
Piece = str | tuple[str, Rows]
REPORT: list[tuple[int, str, list[Piece]]] = [
    (1, "1 The year in brief", [
        "2025 was the year in which the buoy service became our second leg. Revenue grew by 4.8 percent "
        "to 11.49 million euros, and the operating result passed one million euros for the first time.",
        "Growth did not come from where we expected it. Sales of instruments fell, because two large "
        "orders from shipyards moved into 2026. The buoy service, which began as a favour to a "
        "university, made up for it.",
        "We also learned. In November a storm took the radio mast at the north gate, and it became plain "
        "that one mast is not enough for a service that promises to be there.",
    ]),
    (2, "1.1 What this report covers", [
        "The report covers Brennavik Instruments AS from 1 January to 31 December 2025. Amounts are in "
        "thousand euros unless stated otherwise. It was approved by the board on 24 February 2026.",
    ]),
    (1, "2 Business", []),
    (2, "2.1 Revenue", [
        "Table 1 shows revenue by line of business. The buoy service grew most, by 640 thousand euros; "
        "training shrank a little since two courses were moved.",
        ("Table 1: Revenue by line of business", REVENUE),
        "The five largest customers made up 38 percent of revenue, after 43 percent in the year before. "
        "We regard a share below 40 percent as healthy.",
    ]),
    (2, "2.2 Costs and result", [
        "Staff costs rose with four new posts, all of them at the buoy desk. Materials cost less because "
        "fewer instruments were built.",
        ("Table 2: Costs and operating result", COSTS),
        "The board proposes to keep the result in the company, apart from a bonus of 900 euros for each "
        "member of staff, paid with the salary of April 2026.",
    ]),
    (2, "2.3 Investments", [
        "We invested 1.3 million euros, of which 540 thousand went into the second tank at Kaldnes and "
        "310 thousand into drifting buoys of the new series. Nothing was borrowed for it.",
    ]),
    (1, "3 Buoy service", []),
    (2, "3.1 The fleet", [
        "At the end of the year 25 buoys were in operation in three areas.",
        ("Table 3: Buoys by area", FLEET),
        "Of the four buoys that were lost, three were found again, one of them by a school class.",
    ]),
    (2, "3.2 Availability in the Skarholm Sound", [
        "Table 4 shows the availability reached for Skarholm University, month by month, computed as the "
        "agreement says and without the hours of sea events.",
        ("Table 4: Availability in the Skarholm Sound", AVAILABILITY),
        "The mean of the year was 97.7 percent, after 96.1 percent in the nine months of 2024. February "
        "suffered from ice on the antennas. In November the mast at the north gate fell on the 11th and "
        "stood again on the 13th.",
    ]),
    (2, "3.3 Service credits", [
        "For the two months below the promised level the University received credits of 666 euros in all: "
        "222 euros for February and 444 euros for November. In 2024 credits were 2,634 euros.",
    ]),
    (2, "3.4 The second mast", [
        "A second mast will be put up at the river mouth before 1 September 2026. It costs 185 thousand "
        "euros and takes over within a minute when the first one fails.",
    ]),
    (1, "4 Equipment loans", []),
    (2, "4.1 Loans by class", [
        "The loan desk lent more than ever before. Each loan was on average 9.4 days long.",
        ("Table 5: Loans by class", LOANS),
    ]),
    (2, "4.2 Late returns and fees", [
        "58 items came back late, after 81 in 2024. Late fees came to 4,470 euros, after 6,915 euros in "
        "the year before. The weather was kind: the harbour office posted a weather hold on only 19 days, "
        "against 33 in 2024.",
        "The reminders that the desk has sent since March, two days before the end of a loan, cost "
        "nothing and seem to do more than the fee.",
    ]),
    (1, "5 People", []),
    (2, "5.1 Staff and safety", [
        "We are now 73 people. The rising number of reported near misses is good news: it shows trust, "
        "and accidents fell in the same time.",
        ("Table 6: Staff and safety", PEOPLE),
        "The one accident with lost time was a crushed finger at a winch. The winch test was changed "
        "within a month and now has a part with gloves on.",
    ]),
    (2, "5.2 Training", [
        "Each member of staff spent 4.1 days on training. Six engineers took the course in ocean "
        "measurement at Skarholm University, and two of them now teach a part of it.",
    ]),
    (1, "6 Environment", []),
    (2, "6.1 Energy and materials", [
        "The new heat exchanger takes warmth from the tank and cut the use of electricity at Kaldnes.",
        ("Table 7: Energy and recovery", ENERGY),
    ]),
    (2, "6.2 What stays in the sea", [
        "A lost buoy is 14 kilograms of plastic and steel. Since 2025 all new drifting buoys carry a "
        "second position sender with its own battery, good for 200 days, so that they can be looked for "
        "after the main radio has died.",
    ]),
    (1, "7 Outlook", []),
    (2, "7.1 Plans for 2026", [
        "We expect revenue between 12.2 and 12.6 million euros. The buoy service should reach 3.6 million "
        "euros, with a second university and two more harbours.",
        "From 1 January 2026 the monthly fee for Skarholm University rises by 2.4 percent, as the "
        "agreement allows.",
    ]),
    (2, "7.2 Risks", [
        "The largest risk is the end of the agreement with Skarholm University in 2027, on which 11 "
        "percent of the revenue of the buoy service depends. Talks about its renewal start in the autumn "
        "of 2026.",
        "Ice winters like that of 2010 would take the moored buoys out of the water for up to nine weeks. "
        "Such weeks do not count against the service level, but they do not build trust either.",
    ]),
]  # fmt: skip


class Report(FPDF):
    """A4 with a running header on every page but the first, and page numbers below."""

    def header(self) -> None:
        if self.page_no() == 1:
            return
        self.set_font("Helvetica", "I", 9)
        self.cell(0, 6, "Brennavik Instruments   Annual Report 2025", align="R")
        self.ln(14)

    def footer(self) -> None:
        self.set_y(-16)
        self.set_font("Helvetica", "", 9)
        self.cell(0, 6, str(self.page_no()), align="C")


def make_report(made: dt.datetime) -> bytes:
    """A PDF with an outline, running headers, page numbers and tables."""
    pdf = Report(format="A4")
    pdf.set_creation_date(made)
    pdf.set_title("Annual Report 2025")
    pdf.set_author("Brennavik Instruments AS")
    pdf.set_margins(25, 20, 25)
    pdf.set_auto_page_break(True, 24)
    pdf.add_page()
    pdf.set_y(70)
    pdf.set_font("Helvetica", "B", 28)
    pdf.multi_cell(0, 13, "Annual Report 2025", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
    pdf.set_font("Helvetica", "", 14)
    pdf.multi_cell(0, 9, "Brennavik Instruments AS, Kaldnes", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
    pdf.add_page()
    for level, title, pieces in REPORT:
        put_heading(pdf, level, title)
        for piece in pieces:
            if isinstance(piece, str):
                pdf.set_font("Helvetica", "", 11)
                pdf.multi_cell(0, 6, piece, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
                pdf.ln(3)
            else:
                put_table(pdf, *piece)
    return bytes(pdf.output())


def put_heading(pdf: Report, level: int, title: str) -> None:
    chapter = level == 1
    if pdf.will_page_break(60 if chapter else 40):
        pdf.add_page()
    pdf.start_section(title, level=level - 1)
    pdf.ln(5 if chapter else 2)
    pdf.set_font("Helvetica", "B", 17 if chapter else 13)
    pdf.multi_cell(0, 9 if chapter else 8, title, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
    pdf.ln(2)


def put_table(pdf: Report, caption: str, rows: Rows) -> None:
    if pdf.will_page_break(10 + 7 * len(rows)):
        pdf.add_page()
    pdf.ln(2)
    pdf.set_font("Helvetica", "I", 10)
    pdf.multi_cell(0, 7, caption, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
    pdf.set_font("Helvetica", "", 10)
    with pdf.table(
        borders_layout=TableBordersLayout.HORIZONTAL_LINES,
        headings_style=FontFace(emphasis="BOLD"),
        line_height=7,
        text_align="LEFT",
        col_widths=(2, *[1] * (len(rows[0]) - 1)),
    ) as table:
        for row in rows:
            table.row(row)
    pdf.ln(5)
