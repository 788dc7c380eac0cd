import { Users } from 'lucide-react'
import type { Section } from '../shell/sections'

export const contactsSection: Section = {
  name: 'Contacts',
  path: 'contacts',
  group: 'Audience',
  icon: Users,
  scopes: ['contacts:read'],
  pages: {
    '': () => import('./ContactsPage'),
    $contactId: () => import('./ContactPage'),
    jobs: () => import('../contact-jobs/JobsPage'),
    'jobs/$jobId': () => import('../contact-jobs/JobPage'),
  },
}
