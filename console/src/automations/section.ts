import { Workflow } from 'lucide-react'
import type { Section } from '../shell/sections'

export const automationsSection: Section = {
  name: 'Automations',
  path: 'automations',
  group: 'Mail',
  icon: Workflow,
  scopes: ['automations:read'],
  pages: {
    '': () => import('./AutomationsPage'),
    new: () => import('./NewAutomationPage'),
    $automationId: () => import('./AutomationPage'),
    '$automationId/steps': () => import('./EditorPage'),
    '$automationId/runs/$runId': () => import('./RunPage'),
  },
}
