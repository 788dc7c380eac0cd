// A large audience, made by SQL: who is in what is spread evenly, except for the oldest hundredth.
import { query } from './place.ts'

export const TEAM = '00000000-0000-7000-8000-000000000001'
/** Segments and a topic. */
export const LISTS = {
  everybody: '00000000-0000-7000-8000-000000000101',
  tenth: '00000000-0000-7000-8000-000000000102',
  oldest: '00000000-0000-7000-8000-000000000103',
  news: '00000000-0000-7000-8000-000000000201',
} as const
/** By their number. */
export const PROPERTIES = { plan: 1, company: 2, score: 3, since: 4 } as const

export async function fillAudience(databaseUrl: string, count: number): Promise<void> {
  // One millisecond apart, the last one now.
  await query(
    databaseUrl,
    `insert into contacts (id, team_id, email, address_hash, first_name, last_name, unsubscribed, properties, created_at, updated_at)
     select uuidv7(age), '${TEAM}', 'customer' || i || '@example' || i % 50 || '.com', md5(i::text),
       case when i % 10 < 8 then (array['Ada', 'Grace', 'Edsger', 'Barbara', 'Alan'])[1 + i % 5] end, 'Name ' || i % 5000,
       ${spread(20)} = 0,
       jsonb_build_object('${PROPERTIES.plan}', (array['free', 'pro', 'enterprise'])[1 + i % 3], '${PROPERTIES.company}', 'Company ' || i % 1000,
         '${PROPERTIES.score}', ${spread(1_000)}, '${PROPERTIES.since}', case when i <= $1::int / 100 then 'veteran' else 'newcomer' end),
       now() + age, now() + age
     from (select i, make_interval(secs => (i - $1::int) / 1000.0) as age from generate_series(1, $1::int) i) numbered`,
    [count],
  )
  const numbered = '(select id, email, (row_number() over (order by id))::int as i from contacts) numbered'
  const members = (segmentId: string, condition: string) =>
    query(databaseUrl, `insert into contact_segments select '${segmentId}', id, now() from ${numbered} where ${condition}`)
  await members(LISTS.everybody, 'true')
  await members(LISTS.tenth, `${spread(10)} = 1`)
  await members(LISTS.oldest, `i <= ${count / 100}`)
  await query(
    databaseUrl,
    `insert into contact_topics select '${LISTS.news}', id, case when ${spread(9)} < 2 then 'opt_out' else 'opt_in' end, now() from ${numbered} where i % 3 = 0`,
  )
  await query(
    databaseUrl,
    `insert into suppressions (id, team_id, email, origin, created_at) select uuidv7(), '${TEAM}', email, 'bounce', now() from ${numbered} where ${spread(33)} = 2`,
  )
  await query(databaseUrl, 'vacuum analyze')
}

/** A number below `below` that follows no order of the contacts. */
const spread = (below: number) => `abs(hashint4(i)::bigint) % ${below}`
