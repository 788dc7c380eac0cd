import { ChartLine } from 'lucide-react'
import type { Section } from '../shell/sections'

export const metricsSection: Section = {
  name: 'Metrics',
  path: 'metrics',
  group: 'Mail',
  icon: ChartLine,
  scopes: ['numbers:read'],
  pages: { '': () => import('./MetricsPage') },
}
