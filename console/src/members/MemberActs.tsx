import { Button, Group, List, Modal, Stack, Text } from '@mantine/core'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RowOf } from '../api/queries'
import { ConfirmButton } from '../parts/ConfirmButton'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { PageLink } from '../parts/PageLink'
import { MEMBER_TEXTS as TEXTS } from '../texts/members'
import { type Role, RoleField } from './RoleField'

type Member = RowOf<'/members'>
type KeyLeft = { id: string; name: string }

/** `onKeysLeft`: is told the API keys that someone who was removed had made, if there are any. */
export function MemberActs({ member, onKeysLeft }: { member: Member; onKeysLeft: (keys: KeyLeft[]) => void }) {
  const path = { member_id: member.id }
  const remove = useAct({
    run: () => answer(api.DELETE('/members/{member_id}', { params: { path } })),
    done: TEXTS.removed,
    changes: ['members'],
    onDone: ({ api_keys }) => onKeysLeft(api_keys),
  })
  return (
    <Group gap="xs" display="inline-flex">
      <ChangeRole member={member} />
      <ConfirmButton
        name={TEXTS.removeShort}
        label={`${TEXTS.removeShort}: ${member.name || member.email}`}
        act={TEXTS.remove}
        size="compact-sm"
        question={
          <List spacing={4}>
            {TEXTS.removeMeans(member.name || member.email).map((sentence) => (
              <List.Item key={sentence}>{sentence}</List.Item>
            ))}
          </List>
        }
        onConfirm={() => remove.mutate()}
        isBusy={remove.isPending}
      />
    </Group>
  )
}

function ChangeRole({ member: { id, name, email, role } }: { member: Member }) {
  const change = useDialogForm({
    initialValues: { role },
    run: (body: { role: Role }) => answer(api.PATCH('/members/{member_id}', { params: { path: { member_id: id } }, body })),
    done: TEXTS.changed,
    changes: ['members'],
  })
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={change.open}>
        {TEXTS.changeRole}
      </Button>
      <FormDialog title={TEXTS.changeRole} {...change.dialog}>
        <RoleField
          label={TEXTS.roleOf(name || email)}
          value={change.form.values.role}
          onChange={(chosen) => change.form.setFieldValue('role', chosen)}
        />
      </FormDialog>
    </>
  )
}

/** What a person who is gone may still have copied. */
export const KeysLeft = ({ keys, onClose }: { keys: readonly KeyLeft[]; onClose: () => void }) => (
  <Modal opened={keys.length > 0} onClose={onClose} title={TEXTS.keysLeft}>
    <Stack>
      <Text size="sm">{TEXTS.keysLeftHint}</Text>
      <List>
        {keys.map(({ id, name }) => (
          <List.Item key={id}>
            <bdi>{name || id}</bdi>
          </List.Item>
        ))}
      </List>
      <Group justify="space-between">
        <PageLink to="/api-keys">{TEXTS.toKeys}</PageLink>
        <Button onClick={onClose}>{TEXTS.close}</Button>
      </Group>
    </Stack>
  </Modal>
)
