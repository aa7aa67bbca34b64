// One member of a group, made of an unmodified kafkajs consumer (see ../README.md).
//
// usage: member.js kafkajs SERVER GROUP TOPIC NAME default

const readline = require('readline')
const { Kafka, logLevel } = require('kafkajs')

const [, server, groupId, topic, clientId] = process.argv.slice(2)

// Standard output is for events alone.
const logCreator = () => ({ namespace, label, log }) => {
  console.error(`${label} [${namespace}] ${log.message} ${log.error || ''}`)
}
const kafka = new Kafka({ clientId, brokers: [server], logLevel: logLevel.INFO, logCreator })
const consumer = kafka.consumer({ groupId, sessionTimeout: 30000, heartbeatInterval: 500, maxWaitTimeInMs: 200 })
const admin = kafka.admin()

let partitions = []
let assignments = 0

function say(event) {
  process.stdout.write(JSON.stringify(event) + '\n')
}

function owns(now) {
  partitions = [...now].sort((a, b) => a - b)
  say({ event: 'owns', partitions, assignments })
}

async function obey([verb, partition, offset]) {
  if (verb === 'commit') {
    await consumer.commitOffsets([{ topic, partition: Number(partition), offset, metadata: 'interop' }])
    say({ event: 'committed', partition: Number(partition), offset: Number(offset) })
  } else if (verb === 'fetch') {
    const [answer] = await admin.fetchOffsets({ groupId, topics: [topic] })
    const place = answer.partitions.find((place) => place.partition === Number(partition))
    say({ event: 'fetched', partition: Number(partition), offset: place ? Number(place.offset) : -1 })
  } else if (verb === 'leave') {
    await consumer.disconnect()
    await admin.disconnect()
    say({ event: 'left' })
    process.exit(0)
  }
}

async function main() {
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    assignments += 1
    owns(payload.memberAssignment[topic] || [])
  })
  consumer.on(consumer.events.REBALANCING, () => owns([]))
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    console.error(`crash: ${payload.error}, restart: ${payload.restart}`)
    owns([])
  })
  await consumer.connect()
  await admin.connect()
  await consumer.subscribe({ topic, fromBeginning: true })
  await consumer.run({ autoCommit: false, eachMessage: async () => {} })
  const commands = readline.createInterface({ input: process.stdin })
  let last = Promise.resolve()
  const next = (line) => {
    last = last.then(() => obey(line.split(' '))).catch((error) => say({ event: 'failed', reason: `${line}: ${error}` }))
  }
  commands.on('line', next)
  commands.on('close', () => next('leave'))
}

main().catch((error) => {
  console.error(error)
  process.exit(1)
})
