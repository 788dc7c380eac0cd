import { Settings } from 'lucide-react'
import type { Section } from '../shell/sections'

export const settingsSection: Section = {
  name: 'Settings',
  path: 'settings',
  group: 'Team',
  icon: Settings,
  scopes: ['team:read'],
  pages: { '': () => import('./SettingsPage') },
}
