import type { paths } from '../api/schema'

export type Simulation = paths['/automations/{automation_id}/simulate']['post']['responses'][200]['content']['application/json']
