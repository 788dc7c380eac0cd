import { ListTree } from 'lucide-react'
import type { Section } from '../shell/sections'

export const propertiesSection: Section = {
  name: 'Properties',
  path: 'properties',
  group: 'Audience',
  icon: ListTree,
  scopes: ['contact-properties:read'],
  pages: { '': () => import('./PropertiesPage'), $propertyId: () => import('./PropertyPage') },
}
