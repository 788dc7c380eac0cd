// The console with a team as it is after ninety days of work. To make one takes longer than each of these looks at it, so they share it.
import { afterAll, describe } from 'vitest'
import { FILLING_MS, startRealisticService } from '../../support/realistic-team/realistic-service.ts'
import { shared } from '../../support/servers/service.ts'
import { browserOfWorker, closePages } from '../browser.ts'
import { charts } from './realistic/charts.ts'
import { everyPage } from './realistic/every-page.ts'
import { loading } from './realistic/loading.ts'
import { marketer } from './realistic/marketer.ts'

const realistic = shared(() => startRealisticService(() => {}), FILLING_MS)
afterAll(async () => closePages(await browserOfWorker()))

describe('every page', () => everyPage(realistic))
describe('a page that is still loading', () => loading(realistic))
describe('the pages of a marketer', () => marketer(realistic))
// Last, because more is sent for them.
describe('charts', () => charts(realistic))
