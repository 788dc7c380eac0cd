import { CONSOLE } from '../../http/pages/paths.ts'

/** What the navigation of the console leads to, in its order. What has no name stands alone. */
export const SECTION_GROUPS = [
  { name: null, sections: [{ name: 'Overview', address: CONSOLE }] },
  {
    name: 'Mail',
    sections: [
      { name: 'Emails', address: '/console/emails' },
      { name: 'Received', address: '/console/received' },
      { name: 'Broadcasts', address: '/console/broadcasts' },
      { name: 'Automations', address: '/console/automations' },
      { name: 'Templates', address: '/console/templates' },
      { name: 'Domains', address: '/console/domains' },
      { name: 'Suppressions', address: '/console/suppressions' },
      { name: 'Metrics', address: '/console/metrics' },
    ],
  },
  {
    name: 'Audience',
    sections: [
      { name: 'Contacts', address: '/console/contacts' },
      { name: 'Segments', address: '/console/segments' },
      { name: 'Topics', address: '/console/topics' },
      { name: 'Properties', address: '/console/properties' },
      { name: 'Imports', address: '/console/imports' },
    ],
  },
  {
    name: 'Developers',
    sections: [
      { name: 'API keys', address: '/console/api-keys' },
      { name: 'Logs', address: '/console/logs' },
      { name: 'Events', address: '/console/events' },
      { name: 'Webhooks', address: '/console/webhooks' },
      { name: 'Grants', address: '/console/grants' },
      { name: 'API documentation', address: '/docs' },
    ],
  },
  { name: null, sections: [{ name: 'Sessions', address: '/console/sessions' }] },
] as const

export type SectionAddress = (typeof SECTION_GROUPS)[number]['sections'][number]['address']

const ADDRESSES: SectionAddress[] = SECTION_GROUPS.flatMap(({ sections }) => sections.map(({ address }) => address))

/** The section that an address lies in; null: none. */
export const sectionOf = (url: string): SectionAddress | null => ADDRESSES.find((address) => isWithin(url, address)) ?? null

const isWithin = (url: string, address: string): boolean =>
  url.startsWith(address) && (address === CONSOLE ? /^\/?(?:\?|$)/ : /^(?:[/?]|$)/).test(url.slice(address.length))
