// The placeholders for what a team says of itself. A property or a variable of such a name comes before them: it may have been there earlier.
import type { PropertyOfContacts } from './contact-placeholders.ts'

/** Null: the team has none. */
export type TeamValues = { name: string; color: string | null; logoUrl: string | null }

const PLACEHOLDERS: readonly { key: string; read: (team: TeamValues) => string | null }[] = [
  { key: 'TEAM_NAME', read: ({ name }) => name },
  { key: 'TEAM_COLOR', read: ({ color }) => color },
  { key: 'TEAM_LOGO_URL', read: ({ logoUrl }) => logoUrl },
]

export const isOfTeam = (name: string): boolean => PLACEHOLDERS.some(({ key }) => key === name)

/** What stands for a placeholder; undefined if it is none of these. */
export const teamValue = (name: string, team: TeamValues): string | null | undefined =>
  PLACEHOLDERS.find(({ key }) => key === name)?.read(team)

/** The properties of contacts, and those that are the same for all of them. No property that a team makes has such a number. */
export function withTeamValues(properties: readonly PropertyOfContacts[], team: TeamValues | null): PropertyOfContacts[] {
  const taken = new Set(properties.map(({ key }) => key.toUpperCase()))
  const ofTeam = team === null ? [] : PLACEHOLDERS.filter(({ key }) => !taken.has(key))
  return [
    ...properties,
    ...ofTeam.map(({ key, read }) => ({
      number: -1 - PLACEHOLDERS.findIndex((each) => each.key === key),
      key,
      ...same(team && read(team)),
    })),
  ]
}

const same = (value: string | null) => ({ fallbackValue: value, sameForAll: value })
