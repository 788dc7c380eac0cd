// Names and words of an online shop for tea, ceramics and linen, and of the people who buy there.

export const SHOP = {
  name: 'Larkspur & Pine',
  domain: 'larkspur.example',
  orders: 'Larkspur & Pine <orders@larkspur.example>',
  hello: 'Larkspur & Pine <hello@larkspur.example>',
  newsletter: 'Nora from Larkspur & Pine <nora@larkspur.example>',
  site: 'https://larkspur.example',
} as const

const LATIN_FIRST =
  'Amelia Oliver Isla Noah Freya Arthur Mia Leo Grace Oscar Ivy Henry Poppy Theo Elsie Jude Maeve Finn Clara Hugo Anna Lukas Greta Emil Sofia Mateo Lucía Pablo Chloé Jules Zoé Gabriel Astrid Lars Signe Nils Giulia Marco Inês João Zofia Jakub Eszter Ömer Ayşe Linh Aisha Kwame Priya Arjun Hana Tomás Ruth Simon Judith Peter Beatrix Walter'.split(
    ' ',
  )
const LATIN_LAST =
  'Hart Bennett Clarke Okafor Whitfield Moreau Lindqvist Novak Rossi Ferreira Schmidt Müller Nowak Kovács García Fernández Dubois Lefèvre Andersen Johansson Yılmaz Nguyen Patel Mensah Sato Byrne Kelly Sinclair Marsh Fletcher Doyle Abbott Castellanos Grünwald Achterberg Thornbury Ellsworth Pemberton-Fox Haddad Petersen Weiss Baptiste Okonkwo Hughes Price Ward'.split(
    ' ',
  )

/** A person and their address. */
const OTHER_SCRIPTS: readonly [first: string, last: string, address: string][] = [
  ['Екатерина', 'Соколова', 'ekaterina.sokolova'],
  ['Дмитро', 'Шевченко', 'dmytro.shevchenko'],
  ['美咲', '佐藤', 'misaki.sato'],
  ['大輔', '田中', 'daisuke.tanaka'],
  ['伟', '王', 'wei.wang'],
  ['小雨', '陈', 'xiaoyu.chen'],
  ['서연', '김', 'seoyeon.kim'],
  ['ليلى', 'حداد', 'layla.haddad'],
  ['يوسف', 'المنصوري', 'youssef.almansouri'],
  ['נועה', 'לוי', 'noa.levi'],
  ['Ελένη', 'Παπαδοπούλου', 'eleni.papadopoulou'],
  ['अनन्या', 'शर्मा', 'ananya.sharma'],
  ['สมชาย', 'ศรีสุข', 'somchai.srisuk'],
]

/** The share of people with an address there, and its mail servers. */
export const PROVIDERS = [
  { domain: 'gmail.com', share: 0.44, mx: 'gmail-smtp-in.l.google.com', bounces: 0.007, reads: 0.52 },
  { domain: 'outlook.com', share: 0.17, mx: 'outlook-com.olc.protection.outlook.com', bounces: 0.013, reads: 0.4 },
  { domain: 'yahoo.com', share: 0.11, mx: 'mta5.am0.yahoodns.net', bounces: 0.021, reads: 0.36 },
  { domain: 'icloud.com', share: 0.09, mx: 'mx01.mail.icloud.com', bounces: 0.006, reads: 0.66 },
  { domain: 'gmx.de', share: 0.05, mx: 'mx00.emig.gmx.net', bounces: 0.012, reads: 0.41 },
  { domain: 'brightwater-hotels.example', share: 0.04, mx: 'mx1.brightwater-hotels.example', bounces: 0.01, reads: 0.5 },
  { domain: 'cafe-morgenrot.example', share: 0.03, mx: 'mail.cafe-morgenrot.example', bounces: 0.01, reads: 0.58 },
  { domain: 'universitaet-tiefental.example', share: 0.03, mx: 'mx.universitaet-tiefental.example', bounces: 0.016, reads: 0.45 },
  { domain: 'north-and-daughters.example', share: 0.04, mx: 'mx-in.north-and-daughters.example', bounces: 0.05, reads: 0.47 },
] as const

export type Person = { email: string; firstName: string | null; lastName: string | null }

export const ADA: Person = { email: 'ada@north-and-daughters.example', firstName: 'Ada', lastName: 'Lovelace' }

export const pick = <Item>(items: readonly Item[], random: () => number): Item => {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('There is nothing to pick')
  return item
}

/** Different people, a tenth of them known by their address only. */
export function makePeople(count: number, random: () => number): Person[] {
  const people = new Map<string, Person>()
  while (people.size < count) {
    const person = makePerson(random)
    if (!people.has(person.email)) people.set(person.email, person)
  }
  return [...people.values()]
}

function makePerson(random: () => number): Person {
  const domain = domainFor(random())
  if (random() < 0.07) {
    const [firstName, lastName, address] = pick(OTHER_SCRIPTS, random)
    return { email: `${address}${1 + Math.floor(random() * 98)}@${domain}`, firstName, lastName }
  }
  const [firstName, lastName] = [pick(LATIN_FIRST, random), pick(LATIN_LAST, random)]
  const [first, last] = [plain(firstName), plain(lastName)]
  const local = pick([`${first}.${last}`, `${first}${last}`, `${first.charAt(0)}.${last}`, `${first}_${last}`, `${last}.${first}`], random)
  const number = random() < 0.45 ? String(1 + Math.floor(random() * 98)) : ''
  const isKnown = random() < 0.9
  return { email: `${local}${number}@${domain}`, firstName: isKnown ? firstName : null, lastName: isKnown ? lastName : null }
}

const plain = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll('ı', 'i')
    .normalize('NFD')
    .replaceAll(/[^a-z-]/g, '')

function domainFor(chance: number): string {
  let below = 0
  for (const { domain, share } of PROVIDERS) {
    below += share
    if (chance < below) return domain
  }
  return PROVIDERS[0].domain
}

export const providerOf = (email: string) => PROVIDERS.find(({ domain }) => email.endsWith(`@${domain}`)) ?? PROVIDERS[0]

export const COUNTRIES = ['United Kingdom', 'Germany', 'France', 'Netherlands', 'Sweden', 'Spain', 'Ireland', 'Japan', 'Portugal', 'Canada']
export const FAVORITES = ['Black tea', 'Green tea', 'Herbal tea', 'Teapots', 'Bowls', 'Table linen']

export const PRODUCTS = [
  { name: 'First Flush Darjeeling, 100 g', price: 14.5 },
  { name: 'Genmaicha with toasted rice, 250 g', price: 18 },
  { name: 'Smoky Lapsang Souchong, 100 g', price: 11.9 },
  { name: 'Chamomile and lemon verbena, 50 g', price: 8.4 },
  { name: 'Stoneware teapot “Marsh”, 0.9 l', price: 64 },
  { name: 'Pair of cups “Driftwood”', price: 38 },
  { name: 'Linen tablecloth, oat, 150 × 250 cm', price: 89 },
  { name: 'Set of four linen napkins, rust', price: 32 },
  { name: 'Matcha whisk of bamboo, 100 prongs', price: 22 },
  { name: 'Breakfast bowl “Tideline”', price: 26.5 },
] as const
