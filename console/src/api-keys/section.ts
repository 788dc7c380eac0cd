import { KeyRound } from 'lucide-react'
import type { Section } from '../shell/sections'

export const apiKeysSection: Section = {
  name: 'API keys',
  path: 'api-keys',
  group: 'Developers',
  icon: KeyRound,
  scopes: ['api-keys:read'],
  pages: { '': () => import('./ApiKeysPage'), $apiKeyId: () => import('./ApiKeysPage') },
}
