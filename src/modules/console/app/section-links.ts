import { CONSOLE } from '../../../http/pages/paths.ts'

/** Where /docs leads in the console, in the order of its navigation. What has no name stands alone. */
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
      { name: 'Images', address: '/console/images' },
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
      { name: 'Connected apps', address: '/console/grants' },
      { name: 'API documentation', address: '/docs' },
    ],
  },
  {
    name: 'Team',
    sections: [
      { name: 'Members', address: '/console/members' },
      { name: 'Audit log', address: '/console/audit-log' },
      { name: 'Usage', address: '/console/usage' },
      { name: 'Settings', address: '/console/settings' },
    ],
  },
] as const
