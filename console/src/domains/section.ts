import { Globe } from 'lucide-react'
import type { Section } from '../shell/sections'

export const domainsSection: Section = {
  name: 'Domains',
  path: 'domains',
  group: 'Mail',
  icon: Globe,
  scopes: ['domains:read'],
  pages: { '': () => import('./DomainsPage'), $domainId: () => import('./DomainPage') },
}
