// A worker without any library: gRPC by hand over HTTP/2, protobuf by hand. `node worker.mjs HOST:PORT COUNT`
import http2 from "node:http2";

const [address, count] = [process.argv[2], Number(process.argv[3])];
const WORKER = "node-worker";
const session = http2.connect(`http://${address}`);

// Protobuf: what is needed of it.
function varint(number) {
  const bytes = [];
  for (let rest = BigInt(number); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number((rest & 127n) | 128n));
  }
}
const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const bytes = (field, value) => {
  const data = Buffer.from(value);
  return Buffer.concat([varint((field << 3) | 2), varint(data.length), data]);
};
const double = (field, value) => {
  const data = Buffer.alloc(8);
  data.writeDoubleLE(value);
  return Buffer.concat([varint((field << 3) | 1), data]);
};

function decode(buffer) {
  const fields = {};
  let at = 0;
  const next = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = buffer[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < buffer.length) {
    const key = Number(next());
    const [field, type] = [key >> 3, key & 7];
    let value;
    if (type === 0) value = next();
    else if (type === 1) value = buffer.subarray(at, (at += 8));
    else if (type === 2) {
      const length = Number(next());
      value = buffer.subarray(at, (at += length));
    } else throw new Error(`wire type ${type}`);
    (fields[field] ??= []).push(value);
  }
  return fields;
}

// gRPC: a message is a byte, a length of four bytes, and the data; the status comes in the trailers.
function call(method, message) {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": "POST",
      ":path": `/holdfast.v1.WorkerService/${method}`,
      "content-type": "application/grpc",
      te: "trailers",
    });
    const frame = Buffer.alloc(5);
    frame.writeUInt32BE(message.length, 1);
    const chunks = [];
    let told = {};
    stream.on("response", (headers) => (told = { ...told, ...headers }));
    stream.on("trailers", (trailers) => (told = { ...told, ...trailers }));
    stream.on("data", (chunk) => chunks.push(chunk));
    stream.on("error", reject);
    stream.on("end", () => {
      if (told["grpc-status"] !== "0") return reject(new Error(`${method}: ${told["grpc-status"]} ${told["grpc-message"]}`));
      resolve(decode(Buffer.concat(chunks).subarray(5)));
    });
    stream.end(Buffer.concat([frame, message]));
  });
}

await call("Register", Buffer.concat([bytes(1, WORKER), bytes(4, bytes(1, "shout")), bytes(5, "node by hand")]));
for (let done = 0; done < count; ) {
  const poll = Buffer.concat([bytes(1, WORKER), bytes(2, "shout"), number(4, 10), number(5, 20000)]);
  for (const encoded of (await call("PollTask", poll))[1] ?? []) {
    const claim = decode(encoded);
    const held = Buffer.concat([bytes(1, claim[1][0]), number(2, claim[5][0])]);
    await call("Heartbeat", Buffer.concat([held, double(5, 0.5)]));
    const words = JSON.parse(claim[7][0].toString());
    await call("CompleteTask", Buffer.concat([held, bytes(3, JSON.stringify(words.toUpperCase()))]));
    done += 1;
  }
}
session.close();
