// Two thousand people who bought something, or want to read about it.
import { DAY_MS } from '../../../src/lib/clock.ts'
import { createId } from '../../../src/lib/ids.ts'
import { mergeContacts } from '../../../src/modules/audience/contacts/merge-contacts.repository.ts'
import { sendImport, tryImport } from '../builders/contact-imports.ts'
import { runJob } from '../builders/contact-jobs.ts'
import { at } from './past.ts'
import { act, ago, DAYS, type Team } from './team.ts'
import { ADA, COUNTRIES, FAVORITES, makePeople, type Person, pick } from './words.ts'

const PEOPLE = 1_985
const FIRST_FILE = 1_120
/** How many times others came, a few at once. */
const ARRIVALS = 330

export type Customer = Person & { id: string; since: Date }

export async function fillAudience(team: Team): Promise<Customer[]> {
  await nameAudience(team)
  const people = makePeople(PEOPLE, team.random)
  const [early, late] = [[ADA, ...people.slice(0, FIRST_FILE)], people.slice(FIRST_FILE)]
  await importFile(team, { days: 89, fileName: 'customers.csv', rows: early.map((person) => rowOf(person, team)), segment: 'newsletter' })
  await arrive(team, late)
  await importFile(team, { days: 19, fileName: 'Teemesse Hamburg.csv', rows: fairRows(team), segment: 'fair' })
  await importFile(team, {
    days: 6,
    fileName: 'Adressbuch.csv',
    header: 'Name;Telefon;Ort',
    rows: ['Jakob;0151 2345;Bremen', 'Lena;0170 9876;Kiel'],
  })
  await choose(team)
  return team.service.database.execute<Customer>(
    'select id, email, first_name as "firstName", last_name as "lastName", created_at as since from contacts where team_id = $1 order by id',
    [team.service.teamId],
  )
}

/** Properties, topics and segments. */
async function nameAudience(team: Team): Promise<void> {
  const { ids } = team
  const time = ago(team, { days: DAYS })
  for (const [key, type, fallback_value] of [
    ['country', 'string', null],
    ['favorite', 'string', 'our teas'],
    ['orders', 'number', 0],
    ['total_spent', 'number', 0],
    ['company', 'string', null],
  ])
    ids[`property ${key}`] = await act(team, ['POST', '/contact-properties'], { time, body: { key, type, fallback_value } })
  for (const [key, name, description, visibility, default_subscription] of TOPICS)
    ids[key] = await act(team, ['POST', '/topics'], {
      ...{ time, by: 'Hanna Bergström' },
      body: { name, description, visibility, default_subscription },
    })
  const rule = (property: string, operator: string, value?: string | number) => ({
    property,
    operator,
    ...(value !== undefined && { value }),
  })
  for (const [key, name, filter] of [
    ['newsletter', 'Newsletter readers', null],
    ['fair', 'Met at the Hamburg tea fair', null],
    ['wholesale', 'Wholesale: cafés and hotels', rule('company', 'is_set')],
    [
      'regulars',
      'Regulars who have ordered at least five times and spent more than €300',
      {
        all: [rule('orders', 'greater_or_equal', 5), rule('total_spent', 'greater_than', 300)],
      },
    ],
    [
      'germany',
      'Germany, without those who unsubscribed',
      {
        all: [rule('country', 'equals', 'Germany'), { field: 'unsubscribed', operator: 'equals', value: false }],
      },
    ],
    ['lapsed', 'No order yet', { any: [rule('orders', 'equals', 0), rule('orders', 'is_not_set')] }],
  ] as const)
    ids[key] = await act(team, ['POST', '/segments'], { time, by: 'Hanna Bergström', body: { name, ...(filter && { filter }) } })
}

const TOPICS = [
  ['news', 'Seasonal newsletter', 'Four times a year: new harvests, new shapes, and what we learned.', 'public', 'opt_in'],
  ['offers', 'Offers and early access', 'At most twice a month, for things that are nearly gone.', 'public', 'opt_in'],
  ['workshops', 'Workshops in Bristol', null, 'public', 'opt_out'],
  ['wholesale prices', 'Wholesale price list', 'For cafés, hotels and shops that order by the box.', 'private', 'opt_out'],
] as const

const HEADER = 'E-mail,First name,Last name,Country,Favorite,Orders,Total spent,Company'
const COLUMNS = {
  ...{ email: 'E-mail', first_name: 'First name', last_name: 'Last name' },
  properties: {
    country: { column: 'Country' },
    favorite: { column: 'Favorite' },
    orders: { column: 'Orders', type: 'number' },
    total_spent: { column: 'Total spent', type: 'number' },
    company: { column: 'Company' },
  },
}

const COMPANIES: readonly (readonly [domain: string, name: string])[] = [
  ['brightwater-hotels.example', 'Brightwater Hotels'],
  ['cafe-morgenrot.example', 'Café Morgenrot'],
  ['north-and-daughters.example', 'North & Daughters'],
]
const companyOf = (email: string): string => COMPANIES.find(([domain]) => email.endsWith(domain))?.[1] ?? ''

function valuesOf({ email }: Person, { random }: Pick<Team, 'random'>) {
  const orders = Math.floor(random() ** 3 * 14)
  const total = Math.round(orders * (18 + random() * 60) * 100) / 100
  return {
    country: pick(COUNTRIES, random),
    favorite: random() < 0.7 ? pick(FAVORITES, random) : '',
    orders,
    total,
    company: companyOf(email),
  }
}

function rowOf(person: Person, team: Pick<Team, 'random'>): string {
  const { country, favorite, orders, total, company } = valuesOf(person, team)
  return [person.email, person.firstName ?? '', person.lastName ?? '', country, favorite, orders, total, company].join(',')
}

/** Written down by hand at a stand: some of it cannot be read. */
function fairRows(team: Team): string[] {
  const rows = makePeople(64, team.random).map((person) => rowOf(person, team))
  rows.splice(7, 0, 'kein-at-zeichen.de,Birgit,,Germany,,,,')
  rows.splice(19, 0, 'k.holm@,Kristian,Holm,,,,,')
  rows.splice(20, 0, 'elif@kaya@posteo.example,Elif,Kaya,Germany,,,,')
  rows.splice(33, 0, 'ruth.abels@posteo.example,Ruth,Abels,Germany,,many,,')
  rows.splice(51, 0, ',Unreadable,,,,,,')
  return rows
}

type File = { days: number; fileName: string; rows: string[]; header?: string; segment?: string }

async function importFile(team: Team, { days, fileName, rows, header = HEADER, segment }: File): Promise<void> {
  const { service, ids } = team
  const id = await at(ago(team, { days, hours: 3 }), async () => {
    const { body, status, text } = await sendImport(service, {
      fileName,
      file: [header, ...rows].join('\n'),
      ...(header === HEADER && { column_map: COLUMNS }),
      ...(segment && { segments: [{ id: ids[segment] }] }),
    })
    if (status === 201) return (body as { id: string }).id
    if (header !== HEADER) return null
    throw new Error(`The file was not taken: ${text}`)
  })
  if (id) await at(ago(team, { days, hours: 2.99 }), () => tryImport(service, id))
}

/** People who joined later: each month more. */
async function arrive(team: Team, people: Person[]): Promise<void> {
  const { service, ids, random } = team
  const { database, teamId } = service
  const properties = await database.execute<{ key: string; number: number }>(
    'select key, number from contact_properties where team_id = $1',
    [teamId],
  )
  const numberOf = new Map(properties.map(({ key, number }) => [key, number]))
  for (let arrival = 0; arrival < ARRIVALS; arrival += 1) {
    const share = (step: number) => Math.round(people.length * (step / ARRIVALS) ** 1.3)
    const time = new Date(ago(team, { days: 88 }).getTime() + ((arrival + random()) / ARRIVALS) * 88 * DAY_MS)
    const contacts = people.slice(share(arrival), share(arrival + 1)).map((person) => {
      const values = valuesOf(person, team)
      const named = {
        country: values.country,
        favorite: values.favorite,
        orders: values.orders,
        total_spent: values.total,
        company: values.company,
      }
      return {
        ...{ id: at(time, () => createId()), ...person, addressHash: service.service.context.hashAddress(teamId, person.email) },
        unsubscribed: false,
        properties: Object.fromEntries(
          Object.entries(named).flatMap(([key, value]) => (value === '' ? [] : [[numberOf.get(key) ?? 0, value]])),
        ),
      }
    })
    const segmentIds = random() < 0.8 ? [ids.newsletter ?? ''] : []
    await database.transaction((execute) =>
      mergeContacts(execute, contacts, { teamId, onConflict: 'upsert', segmentIds, topics: [], now: time }),
    )
  }
}

/** What some of them decided since, and what was done with many of them at once. */
async function choose(team: Team): Promise<void> {
  const { service, ids, random } = team
  const some = await service.database.execute<{ id: string }>(
    'select id from contacts where team_id = $1 and email <> $2 order by md5(email) limit 60',
    [service.teamId, ADA.email],
  )
  for (const [index, { id }] of some.entries()) {
    const time = ago(team, { days: 2 + random() * 70 })
    if (index < 22) await act(team, ['PATCH', `/contacts/${id}`], { time, body: { unsubscribed: true } })
    else
      await act(team, ['PATCH', `/contacts/${id}/topics`], {
        time,
        body: [{ id: index < 40 ? ids.offers : ids.workshops, subscription: index < 40 ? 'opt_out' : 'opt_in' }],
      })
  }
  await at(ago(team, { days: 3 }), () =>
    runJob(service, { filter: { property: 'company', operator: 'is_set' } }, { type: 'opt_in', topic_id: ids['wholesale prices'] }),
  )
  await act(team, ['POST', '/suppressions/batch/add'], {
    ...{ time: ago(team, { days: 44 }), by: 'Ingrid Vestergaard' },
    body: { emails: ['press-list@old-agency.example', 'no-reply@marketplace.example', 'complaints@lawyers-and-partners.example'] },
  })
}
