// Draws every figure with the page's own Plotly and hands all pictures over as one zip file.

const CRC = Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n >>> 0;
});

function crc32(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = CRC[(value ^ byte) & 0xff] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

// Pictures are compressed already, so files are stored as they are. Names are UTF-8 (flag bit 11).
function zip(files) {
  const now = new Date();
  const time = (now.getHours() << 11) | (now.getMinutes() << 5) | (now.getSeconds() >> 1);
  const date = ((now.getFullYear() - 1980) << 9) | ((now.getMonth() + 1) << 5) | now.getDate();
  const body = [];
  const index = [];
  let place = 0;
  for (const { name, bytes } of files) {
    const label = new TextEncoder().encode(name);
    const shared = new DataView(new ArrayBuffer(26));
    [20, 0x800, 0, time, date].forEach((value, n) => shared.setUint16(2 * n, value, true));
    [crc32(bytes), bytes.length, bytes.length].forEach((value, n) => shared.setUint32(10 + 4 * n, value, true));
    shared.setUint16(22, label.length, true);
    const tail = new DataView(new ArrayBuffer(14));
    tail.setUint32(10, place, true);
    body.push(Uint8Array.of(0x50, 0x4b, 3, 4), shared, label, bytes);
    index.push(Uint8Array.of(0x50, 0x4b, 1, 2, 20, 0), shared, tail, label);
    place += 30 + label.length + bytes.length;
  }
  const length = index.reduce((sum, part) => sum + part.byteLength, 0);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, files.length, true);
  end.setUint16(10, files.length, true);
  end.setUint32(12, length, true);
  end.setUint32(16, place, true);
  return new Blob([...body, ...index, end], { type: "application/zip" });
}

const textOf = (address) => new TextEncoder().encode(decodeURIComponent(address.slice(address.indexOf(",") + 1)));

// The browser compresses pictures beside the page's own thread, so the next figure is drawn meanwhile.
async function pngOf(address, { width, height, scale }) {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: width * scale, height: height * scale });
  canvas.getContext("2d", { alpha: false }).drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  return new Uint8Array(await blob.arrayBuffer());
}

async function plotly() {
  for (let tries = 0; tries < 30 && !window.Plotly; tries++) await new Promise((done) => setTimeout(done, 100));
  if (!window.Plotly) throw new Error("window.Plotly is missing");
  return window.Plotly;
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function make(data, format) {
  const { toImage } = await plotly();
  const { width, height } = data.size;
  const files = [];
  for (const { name, figure } of data.charts) {
    const { data: traces, layout } = JSON.parse(figure);
    const address = await toImage({ data: traces, layout }, { width, height, format: "svg" });
    const bytes = format === "svg" ? textOf(address) : pngOf(address, data.size);
    files.push(Promise.resolve(bytes).then((found) => ({ name: `${name}.${format}`, bytes: found })));
  }
  save(zip(await Promise.all(files)), `${data.stem}_${format}.zip`);
}

export default function ({ data, parentElement }) {
  const buttons = [...parentElement.querySelectorAll("button")];
  const note = parentElement.querySelector("[role=status]");
  for (const button of buttons) {
    const { format } = button.dataset;
    button.textContent = data.labels[format];
    button.onclick = async () => {
      buttons.forEach((each) => (each.disabled = true));
      note.textContent = data.working;
      const start = performance.now();
      try {
        await make(data, format);
        note.textContent = data.done;
      } catch (error) {
        console.error(error);
        note.textContent = data.failed;
      }
      note.dataset.seconds = ((performance.now() - start) / 1000).toFixed(2);
      buttons.forEach((each) => (each.disabled = false));
    };
  }
}
