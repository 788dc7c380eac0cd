import { LayoutTemplate } from 'lucide-react'
import type { Section } from '../shell/sections'

export const templatesSection: Section = {
  name: 'Templates',
  path: 'templates',
  group: 'Mail',
  icon: LayoutTemplate,
  scopes: ['templates:read'],
  pages: {
    '': () => import('./TemplatesPage'),
    new: () => import('./NewTemplatePage'),
    $templateId: () => import('./TemplatePage'),
    '$templateId/edit': () => import('./EditTemplatePage'),
  },
}
