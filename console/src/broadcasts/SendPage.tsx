import { Alert, Button, Group, NumberInput, SegmentedControl, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../api/acts'
import { ApiError, answer, api } from '../api/client'
import { queryClient, type RecordOf, useAllRows, useRecord } from '../api/queries'
import { CHANGED_MEANWHILE, ChangedMeanwhile } from '../content/ChangedMeanwhile'
import { Awaited } from '../parts/Awaited'
import { Checks, useChecks } from '../parts/Checks'
import { ErrorAlert } from '../parts/ErrorAlert'
import { LinkButton } from '../parts/LinkButton'
import { countOf, plainNumber } from '../parts/numbers'
import { Page } from '../parts/Page'
import { Section } from '../parts/Section'
import { dateOf } from '../parts/Time'
import { isZone, MY_ZONE, wallTimeAt } from '../parts/zones'
import { useMay } from '../session/me'
import { useAddressPart, useGo } from '../shell/address'
import { AUTOSAVE_TEXTS } from '../texts/content'
import { SENDING_TEXTS as TEXTS } from '../texts/sending'
import { SHELL_TEXTS } from '../texts/shell'
import { type Audience, AudienceSentence, useAudience } from './AudienceSentence'
import { durationOf, secondsAt } from './durations'
import { timeBefore } from './time-before'
import { AHEAD_MS_MAX, momentOf, tomorrowMorning, type When, WhenField } from './WhenField'

type Broadcast = RecordOf<'/broadcasts/{broadcast_id}'>

/** More recipients than that are typed before a broadcast goes to them. */
const UNASKED_MAX = 1_000
const RATE_MAX = 36_000_000

/** Who gets it, what is wrong with it, when, and how fast; then it is sent. A scheduled one gets another time here. */
export default function SendPage() {
  const id = useAddressPart('broadcastId')
  const { data, error, refetch } = useRecord('/broadcasts/{broadcast_id}', { path: { broadcast_id: id } })
  if (!data) return <Awaited read={{ error, refetch }} />
  const isWaiting = data.status === 'draft' || data.status === 'scheduled'
  return (
    <Page title={data.status === 'scheduled' ? TEXTS.rescheduleTitle : TEXTS.title} back={{ to: `/broadcasts/${id}`, name: data.name }}>
      {isWaiting ? (
        <SendForm key={id} broadcast={data} readAgain={async () => (await refetch()).data ?? data} />
      ) : (
        <Alert>{TEXTS.notADraft}</Alert>
      )}
    </Page>
  )
}

type Chosen = { isLater: boolean; when: When; isSpread: boolean; rate: number | string; typed: string }

function chosenAtFirst(broadcast: Broadcast): Chosen {
  const { scheduled_at: at, timezone } = broadcast.status === 'draft' ? (timeBefore(broadcast.id) ?? broadcast) : broadcast
  const isLater = at !== null && (broadcast.status === 'scheduled' || dateOf(at) > new Date())
  return {
    isLater,
    when: isLater ? whenOf(dateOf(at), timezone && isZone(timezone) ? timezone : MY_ZONE) : tomorrowMorning(MY_ZONE),
    isSpread: broadcast.rate_per_hour !== null,
    rate: broadcast.rate_per_hour ?? '',
    typed: '',
  }
}

const MINUTE_MS = 60_000

/** On the day on which the clocks go back, they show some times twice. */
function whenOf(at: Date, zone: string): When {
  const first: When = { wall: wallTimeAt(at, zone), zone, isSecond: false }
  const isFirst = Math.abs((momentOf(first)?.getTime() ?? 0) - at.getTime()) < MINUTE_MS
  return { ...first, isSecond: !isFirst }
}

type SendFormProps = { broadcast: Broadcast; readAgain: () => Promise<Broadcast> }

function SendForm({ broadcast, readAgain }: SendFormProps) {
  const may = useMay()
  const [chosen, setChosen] = useState(() => chosenAtFirst(broadcast))
  const [wrong, setWrong] = useState<{ when?: string; typed?: string }>({})
  // What is sent is what was there when this page was opened, and not what a colleague has written since, which is read all the time.
  const [version, setVersion] = useState(broadcast.version)
  const stay = async () => setVersion((await readAgain()).version)
  const { audience, isCounting } = useAudience(broadcast.id, broadcast)
  const { errors } = useChecks({ broadcastId: broadcast.id })
  const send = useSend(broadcast, { chosen, version, onPaced: setVersion })
  const change = (changes: Partial<Chosen>) => {
    setChosen({ ...chosen, ...changes })
    setWrong({})
  }
  const asked = isCounting ? null : audience ? askedNumber(audience) : broadcast.name
  const submit = () => {
    const problems = {
      ...(chosen.isLater && whenProblem(chosen.when)),
      ...(asked !== null && plainNumber(chosen.typed) !== plainNumber(asked) && { typed: TEXTS.typeNumber(asked) }),
    }
    setWrong(problems)
    if (Object.keys(problems).length === 0) send.mutate()
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack>
        <Section title={TEXTS.who}>
          <AudienceSentence targets={broadcast} audience={audience} isCounting={isCounting} />
          {may('broadcasts:write', 'segments:read') && (
            <OtherSegment
              {...{ broadcast, version, stay }}
              onChanged={(changed) => {
                setVersion(changed)
                change({ typed: '' })
              }}
            />
          )}
        </Section>
        <Section title={TEXTS.checks}>
          <Checks broadcastId={broadcast.id} />
        </Section>
        <Section title={TEXTS.when}>
          <SegmentedControl
            aria-label={TEXTS.when}
            data={[
              { value: 'now', label: TEXTS.now },
              { value: 'later', label: TEXTS.later },
            ]}
            value={chosen.isLater ? 'later' : 'now'}
            onChange={(value) => change({ isLater: value === 'later' })}
          />
          {chosen.isLater && <WhenField value={chosen.when} onChange={(when) => change({ when })} error={wrong.when ?? null} />}
        </Section>
        <Section title={TEXTS.pace}>
          <Pace chosen={chosen} change={change} recipients={audience?.recipients ?? null} mayChange={may('broadcasts:write')} />
        </Section>
        {asked !== null && (
          <TextInput
            label={TEXTS.typeNumber(asked)}
            autoComplete="off"
            maw={320}
            value={chosen.typed}
            onChange={({ currentTarget }) => change({ typed: currentTarget.value })}
            error={wrong.typed}
          />
        )}
        <Refusal error={send.error} broadcastId={broadcast.id} onStay={() => void stay().then(send.reset)} />
        <Text size="sm" c="dimmed">
          {errors > 0 ? TEXTS.errorsFirst : TEXTS.finally}
        </Text>
        <Group>
          <Button type="submit" loading={send.isPending} disabled={errors > 0 || isCounting}>
            {chosen.isLater ? (broadcast.status === 'scheduled' ? TEXTS.rescheduleAct : TEXTS.scheduleAct) : TEXTS.sendAct}
          </Button>
          <LinkButton variant="default" to={`/broadcasts/${broadcast.id}`}>
            {SHELL_TEXTS.cancel}
          </LinkButton>
        </Group>
      </Stack>
    </form>
  )
}

type OtherSegmentProps = { broadcast: Broadcast; version: string; stay: () => Promise<void>; onChanged: (version: string) => void }

/** Leads to the form, for anyone who sees here that it goes to the wrong people. */
function OtherSegment({ broadcast, version, stay, onChanged }: OtherSegmentProps) {
  const segments = useAllRows('/segments')
  const params = { params: { path: { broadcast_id: broadcast.id } } }
  const choose = useAct({
    run: (segment_id: string) =>
      answer(api.PATCH('/broadcasts/{broadcast_id}', { ...params, body: { segment_id, expected_version: version } })),
    done: TEXTS.segmentChanged,
    changes: ['broadcasts'],
    isSilent: true,
    onDone: (changed) => onChanged(changed.version ?? version),
  })
  return (
    <>
      <Select
        label={TEXTS.segment}
        data={segments.rows.map(({ id, name }) => ({ value: id, label: name }))}
        value={broadcast.segment_id}
        onChange={(id) => id !== null && id !== broadcast.segment_id && choose.mutate(id)}
        disabled={choose.isPending}
        searchable
        allowDeselect={false}
        maw={320}
      />
      <Refusal error={choose.error} broadcastId={broadcast.id} onStay={() => void stay().then(choose.reset)} />
    </>
  )
}

type RefusalProps = { error: Error | null; broadcastId: string; onStay: () => void }

/** What a colleague has changed is looked at before it is sent. What was chosen here stays for who stays. */
function Refusal({ error, broadcastId, onStay }: RefusalProps) {
  const go = useGo()
  const isChanged = error instanceof ApiError && error.status === CHANGED_MEANWHILE
  return (
    <>
      {error !== null && !isChanged && <ErrorAlert error={error} />}
      <ChangedMeanwhile error={isChanged ? error : null}>
        <Button variant="default" onClick={onStay}>
          {TEXTS.stay}
        </Button>
        <Button
          onClick={() => {
            void queryClient.invalidateQueries({ queryKey: ['broadcasts'] })
            go(`/broadcasts/${broadcastId}`)
          }}
        >
          {AUTOSAVE_TEXTS.takeTheirs}
        </Button>
      </ChangedMeanwhile>
    </>
  )
}

type PaceProps = { chosen: Chosen; change: (changes: Partial<Chosen>) => void; recipients: number | null; mayChange: boolean }

function Pace({ chosen, change, recipients, mayChange }: PaceProps) {
  const rate = rateOf(chosen)
  return (
    <>
      <Switch
        label={TEXTS.spread}
        description={TEXTS.spreadHint}
        checked={chosen.isSpread}
        disabled={!mayChange}
        onChange={({ currentTarget }) => change({ isSpread: currentTarget.checked })}
      />
      {chosen.isSpread && (
        <NumberInput
          label={TEXTS.rate}
          min={1}
          max={RATE_MAX}
          allowDecimal={false}
          thousandSeparator=","
          maw={320}
          required
          disabled={!mayChange}
          value={chosen.rate}
          onChange={(value) => change({ rate: value })}
        />
      )}
      <Text size="sm" role="status">
        {rate === null ? TEXTS.asFast : recipients !== null && TEXTS.takes(durationOf(secondsAt(recipients, rate)))}
      </Text>
    </>
  )
}

/** Recipients an hour; null for as many as the mail servers take. */
const rateOf = ({ isSpread, rate }: Chosen): number | null => (isSpread && Number(rate) > 0 ? Number(rate) : null)

/** The number that is typed to confirm; null for few. If they could not be counted, the name of the broadcast is typed. */
const askedNumber = ({ recipients, is_exact }: Audience): string | null =>
  recipients > UNASKED_MAX || !is_exact ? countOf(recipients) : null

function whenProblem(when: When): { when: string } | null {
  const moment = momentOf(when)
  if (moment === null) return { when: TEXTS.timeMissing }
  const aheadMs = moment.getTime() - Date.now()
  if (aheadMs <= 0) return { when: TEXTS.timePast }
  return aheadMs > AHEAD_MS_MAX ? { when: TEXTS.timeFar } : null
}

type SendOptions = { chosen: Chosen; version: string; onPaced: (version: string) => void }

/** The rate is a field of the broadcast, which is changed before. */
function useSend(broadcast: Broadcast, { chosen, version, onPaced }: SendOptions) {
  const go = useGo()
  const params = { params: { path: { broadcast_id: broadcast.id } } }
  return useAct({
    run: async () => {
      const rate_per_hour = rateOf(chosen)
      let expected_version = version
      if (rate_per_hour !== broadcast.rate_per_hour) {
        const paced = await answer(api.PATCH('/broadcasts/{broadcast_id}', { ...params, body: { rate_per_hour, expected_version } }))
        expected_version = paced.version ?? expected_version
        onPaced(expected_version)
      }
      const moment = chosen.isLater ? momentOf(chosen.when) : null
      const time = moment && { scheduled_at: moment.toISOString(), timezone: chosen.when.zone }
      return answer(api.POST('/broadcasts/{broadcast_id}/send', { ...params, body: { ...time, expected_version } }))
    },
    done: chosen.isLater ? TEXTS.scheduled : TEXTS.sent,
    changes: ['broadcasts'],
    isSilent: true,
    onDone: () => go(`/broadcasts/${broadcast.id}`),
  })
}
