import { Alert, Button, FileInput, List, Text, Textarea } from '@mantine/core'
import { FileUp, Plus } from 'lucide-react'
import { useState } from 'react'
import { ApiError, answer, api } from '../api/client'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { SUPPRESSION_TEXTS as TEXTS } from '../texts/suppressions'
import { addressesIn } from './addresses-in-text'

/** The API takes so many at a time. */
const AT_ONCE = 100
/** A list with more has another problem than its lines. */
const REFUSED_MAX = 20
const INVALID = 422

type Refusal = { address: string; problem: string }
type Result = { added: number; refusals: Refusal[]; left: string[] }

/** One address or thousands, typed, pasted or from a file. What is refused stays in the field, with the reason. */
export function AddSuppressions() {
  const [result, setResult] = useState<Result | null>(null)
  const add = useDialogForm({
    initialValues: { list: '' },
    staysOpen: true,
    keepsTyped: true,
    command: 'suppress',
    run: ({ list }: { list: string }) => addAll(addressesIn(list)),
    done: ({ added }) => TEXTS.added(added),
    changes: ['suppressions'],
    onDone: (done) => {
      setResult(done.refusals.length === 0 ? null : done)
      form.setFieldValue('list', [...done.refusals.map(({ address }) => address), ...done.left].join('\n'))
      if (done.refusals.length === 0) add.close()
    },
  })
  const { form } = add
  const addresses = addressesIn(form.values.list)
  return (
    <>
      <Button leftSection={<Plus size={16} />} onClick={add.open}>
        {TEXTS.add}
      </Button>
      <FormDialog title={TEXTS.add} size="lg" {...add.dialog} act={TEXTS.addAct}>
        {result && (
          <Alert color="orange" role="alert" title={TEXTS.added(result.added)}>
            <Text>{TEXTS.refused(result.refusals.length)}</Text>
            <List size="sm">
              {result.refusals.map(({ address, problem }) => (
                <List.Item key={address}>
                  <bdi>{address}</bdi>: {problem}
                </List.Item>
              ))}
            </List>
            {result.left.length > 0 && <Text mt="xs">{TEXTS.stopped}</Text>}
          </Alert>
        )}
        <Textarea
          label={TEXTS.list}
          description={TEXTS.listHint}
          required
          autosize
          minRows={6}
          maxRows={14}
          spellCheck={false}
          data-autofocus
          {...form.getInputProps('list')}
        />
        <FileInput
          label={TEXTS.file}
          placeholder={TEXTS.choose}
          leftSection={<FileUp size={16} />}
          accept=".csv,.txt,text/csv,text/plain"
          onChange={(file) => void file?.text().then((text) => form.setFieldValue('list', addressesIn(text).join('\n')))}
        />
        {form.values.list.trim() !== '' && (
          <Text size="sm" c="dimmed" aria-live="polite">
            {addresses.length === 0 ? TEXTS.none : TEXTS.read(addresses.length)}
          </Text>
        )}
      </FormDialog>
    </>
  )
}

/** A batch with a wrong address is refused whole, and the API says which it is: the others are sent again without it. */
async function addAll(addresses: readonly string[]): Promise<Result> {
  const refusals: Refusal[] = []
  let added = 0
  let left = [...addresses]
  while (left.length > 0 && refusals.length < REFUSED_MAX) {
    const batch = left.slice(0, AT_ONCE)
    try {
      await answer(api.POST('/suppressions/batch/add', { body: { emails: batch } }))
      added += batch.length
      left = left.slice(batch.length)
    } catch (error) {
      const at = wrongOne(error)
      const address = at === null ? undefined : batch[at]
      if (address === undefined) throw error
      refusals.push({ address, problem: (error as Error).message })
      left = left.filter((one) => one !== address)
    }
  }
  return { added, refusals, left }
}

function wrongOne(error: unknown): number | null {
  if (!(error instanceof ApiError) || error.status !== INVALID) return null
  const found = /emails\[(\d+)\]/.exec(error.message)?.[1]
  return found === undefined ? null : Number(found)
}
