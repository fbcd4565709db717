// Order to invoice on one small document: text in, text out, microseconds of CPU a document.
import jsonata from "jsonata";
import { readFileSync } from "node:fs";
const text = readFileSync(process.argv[2], "utf8");
const program = jsonata(`(
  $its := items[qty > 0];
  $amount := function($i) { $i.price * $i.qty };
  {
    "invoiceId": "INV-" & id, "customer": $uppercase(customer.name), "email": $lowercase(customer.email),
    "city": customer.address.city, "lines": [$its.{ "sku": sku, "total": price * qty }],
    "total": $sum($its.(price * qty)), "tax": $sum($its.(price * qty)) * 0.2,
    "byCategory": $its{ category: $sum($.(price * qty)) }
  })`);
let last;
const rounds = 3000;
for (let n = 0; n < 500; n++) last = JSON.stringify(await program.evaluate(JSON.parse(text)));
const start = process.cpuUsage();
for (let n = 0; n < rounds; n++) last = JSON.stringify(await program.evaluate(JSON.parse(text)));
const used = process.cpuUsage(start);
console.log(JSON.stringify({ micros: (used.user + used.system) / rounds, output: JSON.parse(last) }));
