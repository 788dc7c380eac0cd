import '@mantine/dates/styles.css'
import { Alert, Radio, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { DateTimePicker } from '@mantine/dates'
import { useIsPhone } from '../parts/use-is-phone'
import { type Moments, MY_ZONE, momentsOf, momentText, placeOf, type WallTime, wallTimeAt, ZONES } from '../parts/zones'
import { WHEN_TEXTS as TEXTS } from '../texts/sending'

/** What is chosen: what the clocks of a place show. `isSecond`: the second of two moments at which they show it. */
export type When = { wall: WallTime | null; zone: string; isSecond: boolean }

const DAY_MS = 24 * 60 * 60 * 1_000
export const AHEAD_MS_MAX = 30 * DAY_MS
const MORNING = '09:00:00'
const SECONDS = ':SS'.length
const DAY_LENGTH = 'YYYY-MM-DD'.length

/** Tomorrow at nine, on the clocks of the zone. */
export const tomorrowMorning = (zone: string): When => ({
  wall: `${dayAhead(zone, 1)} ${MORNING}`,
  zone,
  isSecond: false,
})

/** The moment that was chosen; null if none is. */
export function momentOf({ wall, zone, isSecond }: When): Date | null {
  const moments = wall === null ? null : momentsOf(wall, zone)
  if (moments === null) return null
  return moments.kind === 'twice' && isSecond ? moments.again : moments.at
}

type WhenFieldProps = { value: When; onChange: (value: When) => void; error: string | null }

/** A day and a time on the clocks of any place, and what they are on one's own. */
export function WhenField({ value, onChange, error }: WhenFieldProps) {
  const { wall, zone } = value
  // They would leave no room for the days.
  const isPhone = useIsPhone()
  const now = new Date()
  const moments = wall === null ? null : momentsOf(wall, zone)
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <DateTimePicker
          label={TEXTS.at}
          value={wall}
          onChange={(chosen) => onChange({ ...value, wall: chosen, isSecond: false })}
          valueFormat="ddd, D MMM YYYY, HH:mm"
          defaultTimeValue={MORNING}
          minDate={wallTimeAt(now, zone)}
          maxDate={wallTimeAt(new Date(now.getTime() + AHEAD_MS_MAX), zone)}
          {...(!isPhone && { presets: presetsFor(zone, now) })}
          timePickerProps={{ format: '24h', hoursInputLabel: TEXTS.hours, minutesInputLabel: TEXTS.minutes }}
          submitButtonProps={{ 'aria-label': TEXTS.done }}
          previousLabel={TEXTS.previous}
          nextLabel={TEXTS.next}
          weekendDays={[]}
          // Today would be too faint to read beside the days of another month.
          hideOutsideDates
          dropdownType="modal"
          modalProps={{ title: TEXTS.at }}
          error={error}
          required
        />
        <Select
          label={TEXTS.zone}
          data={ZONES.map((name) => ({ value: name, label: labelOf(name) }))}
          value={zone}
          onChange={(chosen) => chosen !== null && onChange({ ...value, zone: chosen, isSecond: false })}
          searchable
          // What is typed replaces the zone that stands there.
          onFocus={({ currentTarget }) => currentTarget.select()}
          allowDeselect={false}
          nothingFoundMessage={TEXTS.zoneNone}
          maxDropdownHeight={280}
          limit={ZONES_SHOWN_MAX}
        />
      </SimpleGrid>
      {moments && <InBothZones moments={moments} value={value} onChange={onChange} />}
    </Stack>
  )
}

/** One looks for the others by their names. */
const ZONES_SHOWN_MAX = 60

const labelOf = (zone: string): string => `${zone.replaceAll('_', ' ')}${zone === MY_ZONE ? ` (${TEXTS.own})` : ''}`

function InBothZones({ moments, value, onChange }: { moments: Moments } & Pick<WhenFieldProps, 'value' | 'onChange'>) {
  const { zone, isSecond } = value
  const place = placeOf(zone)
  const moment = moments.kind === 'twice' && isSecond ? moments.again : moments.at
  return (
    <>
      {moments.kind === 'skipped' && <Alert color="orange">{TEXTS.skipped(place, momentText(moment, zone))}</Alert>}
      {moments.kind === 'twice' && (
        <Alert color="orange">
          <Radio.Group
            label={TEXTS.twice(place)}
            value={isSecond ? 'second' : 'first'}
            onChange={(chosen) => onChange({ ...value, isSecond: chosen === 'second' })}
          >
            <Stack gap={6} mt={6}>
              <Radio value="first" label={TEXTS.first(momentText(moments.at, zone))} />
              <Radio value="second" label={TEXTS.second(momentText(moments.again, zone))} />
            </Stack>
          </Radio.Group>
        </Alert>
      )}
      <Text size="sm" role="status">
        <b>{zone === 'UTC' ? momentText(moment, zone) : TEXTS.there(momentText(moment, zone), place)}</b>.{' '}
        {zone === MY_ZONE ? TEXTS.isOwn : TEXTS.here(momentText(moment, MY_ZONE), placeOf(MY_ZONE))}
      </Text>
    </>
  )
}

/** The times that are chosen most, on the clocks of the zone. */
function presetsFor(zone: string, now: Date): { value: WallTime; label: string }[] {
  const HOUR_MS = 60 * 60 * 1_000
  const toMonday = daysToMonday(zone, now)
  return [
    { value: `${wallTimeAt(new Date(now.getTime() + HOUR_MS), zone).slice(0, -SECONDS)}:00`, label: TEXTS.hour },
    { value: `${dayAhead(zone, 1)} ${MORNING}`, label: TEXTS.tomorrow },
    ...(toMonday === 1 ? [] : [{ value: `${dayAhead(zone, toMonday)} ${MORNING}`, label: TEXTS.monday }]),
  ]
}

/** A calendar day, counted from today there. Noon is on the same day whatever the clocks do. */
function dayAhead(zone: string, days: number): string {
  const today = wallTimeAt(new Date(), zone).slice(0, DAY_LENGTH)
  return new Date(Date.parse(`${today}T12:00:00Z`) + days * DAY_MS).toISOString().slice(0, DAY_LENGTH)
}

function daysToMonday(zone: string, now: Date): number {
  const today = new Date(`${wallTimeAt(now, zone).slice(0, DAY_LENGTH)}T12:00:00Z`).getUTCDay()
  return (MONDAY + DAYS_OF_WEEK - today) % DAYS_OF_WEEK || DAYS_OF_WEEK
}
const MONDAY = 1
const DAYS_OF_WEEK = 7
