import { Clock, Filter, GitBranch, Hourglass, type LucideIcon, Mail, UserPen, UserX, Zap } from 'lucide-react'
import type { StepType } from '../graph'

export const STEP_ICONS: Readonly<Record<StepType, LucideIcon>> = {
  trigger: Zap,
  send_email: Mail,
  delay: Clock,
  wait_for_event: Hourglass,
  condition: GitBranch,
  contact_update: UserPen,
  contact_delete: UserX,
  add_to_segment: Filter,
}
