import { FileUp } from 'lucide-react'
import type { Section } from '../shell/sections'

export const importsSection: Section = {
  name: 'Imports',
  path: 'imports',
  group: 'Audience',
  icon: FileUp,
  scopes: ['contact-imports:read'],
  pages: { '': () => import('./ImportsPage'), new: () => import('./NewImportPage'), $importId: () => import('./ImportPage') },
}
