import { type Static, Type } from '@sinclair/typebox'
import { IsoTime, Kind, Named, Nullable } from './common.ts'

/** The greatest age of the number of contacts, which takes long to count. */
export const CONTACTS_SECONDS_MAX = 60
/** Teams whose number of contacts is kept. */
export const USAGE_TEAMS_MAX = 1_000

/** How long it is known what teams received: for a month, and a clock that is set. */
export const RECEIVED_AMOUNTS_KEPT_DAYS = 40

const limit = Nullable(Type.Integer({ description: 'Always null: there is no quota.' }))
const used = (what: string) => Type.Integer({ description: `Number of ${what}.` })
const Time = (description: string) => IsoTime(`${description} ISO 8601.`, '2026-11-21T00:00:00.000Z')

const emails = (since: string, resets: string) =>
  Type.Object(
    {
      used: used(
        `recipients for whom delivery began, plus number of emails that arrived, since ${since}: \`sent\` and \`received\` together`,
      ),
      limit,
      sent: used(`recipients for whom delivery began since ${since}`),
      received: used(`emails that arrived since ${since}, those that were deleted included`),
      resets_at: Time(resets),
    },
    { description: `Mail since ${since}: an email to three recipients counts three times.` },
  )

export const Usage = Named(
  'Usage',
  Type.Object(
    {
      object: Kind('usage'),
      emails: Type.Object(
        {
          daily: emails('the beginning of the day (UTC)', 'When the next day begins.'),
          monthly: emails('the beginning of the month (UTC)', 'When the next month begins.'),
        },
        { description: 'Mail of the day and of the month.' },
      ),
      contacts: Type.Object(
        { used: used('contacts'), limit },
        { description: `Contacts of the team, counted at most ${CONTACTS_SECONDS_MAX} seconds ago.` },
      ),
      segments: Type.Object({ used: used('segments'), limit }, { description: 'Segments of the team.' }),
      broadcasts: Type.Object({ used: used('broadcasts'), limit }, { description: 'Broadcasts of the team.' }),
      ai_credits: Type.Object(
        { used: used('credits'), limit, next_increase_at: Nullable(Time('When credits are renewed; always null.')) },
        { description: 'Always zero. The official clients read this field.' },
      ),
      automation_runs: Type.Object(
        { used: used('runs of automations since the beginning of the month (UTC)'), limit, resets_at: Time('When the next month begins.') },
        { description: 'Runs of automations of the month.' },
      ),
      domains: Type.Object({ used: used('domains'), limit }, { description: 'Domains of the team.' }),
      rate_limit: Type.Object(
        {
          limit: Nullable(
            Type.Integer({ description: 'Requests that the team may make in this time; null if there is no limit.', examples: [100] }),
          ),
          duration: Type.String({ description: 'The time that the limit is for.', examples: ['1s'] }),
        },
        { description: 'The rate limit of the team.' },
      ),
    },
    { description: 'Usage of a team. There are no quotas.' },
  ),
)

export type Usage = Static<typeof Usage>
