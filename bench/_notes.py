"""Forty short notes, and how somebody half remembers each: in other words, misspelled, or as a question."""

NOTES = [
    (
        "Postgres fell over at 3 am because the disk filled with WAL files. Cause: a replication slot nobody used.",
        "why did the database crash at night",
        "outage becuase storage ran full",
    ),
    (
        "Grandma's goulash: two onions to one part beef, sweet paprika, never any flour. Simmer three hours.",
        "family stew recipe",
        "how long does the meat have to cook",
    ),
    (
        "Car insurance is up for renewal on 12 March; the broker offers 15 % off if we pay yearly.",
        "when does the vehicle policy run out",
        "discount for paying once a year",
    ),
    (
        "Standup: Priya moves to the billing team, Tom takes over on-call for the gateway from Monday.",
        "who is responsible for pager duty now",
        "team change of a coworker",
    ),
    (
        "The kitchen tap drips again. Plumber: Novak, comes Thursday between 8 and 10, costs about 80.",
        "fixing the leaking faucet",
        "handyman appointment",
    ),
    (
        "Idea for the talk: start with the failed migration, then show how feature flags let us roll back.",
        "presentation outline",
        "talk about undoing a relase",
    ),
    (
        "Booked the cabin in Norway for the last week of August, deposit paid, keys in the lockbox code 4417.",
        "summer holiday accommodation",
        "how do we get into the vacation house",
    ),
    (
        "Leo is allergic to peanuts and cashews, carries an EpiPen, and the school wants a doctor's letter.",
        "child's food intolerance",
        "medical certificate for class",
    ),
    (
        "Use exponential backoff with jitter when the payment API answers 429; never more than five attempts.",
        "retry strategy for rate limits",
        "what to do if the server says too many requests",
    ),
    (
        "Read 'The Design of Everyday Things' again: affordances, mapping, and why doors need labels.",
        "book on usability",
        "why are doors confusing",
    ),
    (
        "Passport expires in November. Photo 35x45 mm, appointment at the town hall has a six week wait.",
        "renewing my travel document",
        "pasport photo size",
    ),
    (
        "Kubernetes pods were evicted since nobody had set memory requests; limits alone are not enough.",
        "containers killed for lack of RAM",
        "why do our services get thrown off the node",
    ),
    (
        "Tomatoes get blight when leaves stay wet: water at the base, prune low branches, mulch with straw.",
        "gardening advice against plant disease",
        "how should I irrigate the vegetables",
    ),
    (
        "Mortgage: fixed at 3.1 % until 2031, special repayments up to five percent a year without a fee.",
        "house loan conditions",
        "can we pay back early",
    ),
    (
        "Anna's birthday: she wants the blue ceramic teapot from the market, not another scarf.",
        "gift idea for my friend",
        "present for Anna",
    ),
    (
        "To reset the router hold the pin for ten seconds, then log in as admin at 192.168.1.1.",
        "internet box factory settings",
        "wifi not working what now",
    ),
    (
        "Dentist said the lower left molar needs a crown; quote is 640, insurance covers sixty percent.",
        "tooth treatment cost",
        "how much of the dental work is paid for",
    ),
    (
        "Interview notes: strong on distributed systems, weak on testing, would like to work remotely from Lisbon.",
        "job candidate assessment",
        "applicant who wants home office in portugal",
    ),
    (
        "Running plan: Tuesday intervals, Thursday easy 8 km, Sunday long run up to 28 before the marathon.",
        "training schedule",
        "weekly jogging distances",
    ),
    (
        "The invoice for Meyer GmbH was sent twice; ask accounting to cancel number 2291 and write a credit note.",
        "customer billed double",
        "which bill has to be revoked",
    ),
    (
        "Sourdough: feed the starter at 1:5:5, bulk ferment until it has grown by half, bake at 240 with steam.",
        "baking bread at home",
        "oven temperature for the loaf",
    ),
    (
        "Git bisect found the regression: the cache key ignored the locale, so French users saw English pages.",
        "wrong language shown to visitors",
        "which bug made translations mixed up",
    ),
    (
        "Cat must not eat for twelve hours before the neutering on Friday; bring the vaccination card.",
        "pet surgery preparation",
        "vet appointment fasting",
    ),
    (
        "Landlord raises the rent by 4 % from July, which is within the index clause of our contract.",
        "apartment getting more expensive",
        "is the increase of the lease legal",
    ),
    (
        "TLS certificates on the staging cluster expire on the 9th, cert-manager failed on the DNS challenge.",
        "https stops working soon",
        "expiring certificats",
    ),
    (
        "Photos from the hike are on the external drive under Alps, sorted by day, raw files kept separately.",
        "where did I put the mountain pictures",
        "backup of images",
    ),
    (
        "Learned today: Python dictionaries keep insertion order since 3.7, sets still do not.",
        "are hash maps sorted by when things were added",
        "dict ordering guarantee",
    ),
    (
        "Budget for Q3 was cut by a tenth, so the second designer will not be hired before January.",
        "recruiting postponed for lack of money",
        "less spending next quarter",
    ),
    (
        "The heat pump is loud at night; technician lowered the fan speed and moved the quiet window to 21:00.",
        "noisy heating",
        "house warming machine disturbs sleep",
    ),
    (
        "Spanish vocabulary: desarrollar to develop, aprovechar to make use of, alcanzar to reach.",
        "foreign language words to learn",
        "what does aprovechar mean",
    ),
    (
        "Tax return: receipts for the desk, the monitor and the train tickets are in the red folder.",
        "documents for the fiscal authority",
        "work expenses proof",
    ),
    (
        "Moved the sessions from Redis to signed cookies, which cut login latency from 90 to 20 ms.",
        "faster authentication",
        "why we no longer keep user state in the in-memory store",
    ),
    (
        "Dad's blood pressure is 150 over 95; new pills in the morning, check again in two weeks.",
        "father's health",
        "hypertension medication",
    ),
    (
        "Wedding of Mia and Jon: 14 June, the old mill, dress code summer casual, answer by April.",
        "marriage ceremony invitation",
        "what to wear at the party in june",
    ),
    (
        "Bike: rear brake pads worn, chain stretched, spare inner tube is 28 x 1.5 with a French valve.",
        "bicycle repair",
        "cycle needs new parts",
    ),
    (
        "Customers drop out at the address form; autocomplete raised the checkout rate by seven percent.",
        "why do shoppers abandon their cart",
        "improving conversion",
    ),
    (
        "Piano: practise the left hand of the Chopin nocturne slowly, metronome at 60, pedal only later.",
        "music exercise",
        "how fast should I play",
    ),
    (
        "The solar panels made 31 kWh on Sunday, a record; the battery was full by noon.",
        "photovoltaic yield",
        "most electricty in one day",
    ),
    (
        "Choose SQLite over a server for the mobile app: one file, no setup, tested more than anything we write.",
        "decision about local persistence",
        "embedded database for phones",
    ),
    (
        "Neighbour Ilse has our spare key and waters the plants while we are away; bring her chocolate.",
        "who looks after the flat when we travel",
        "thank you gift for the lady next door",
    ),
]
